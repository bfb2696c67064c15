"""A service of FastAPI's under uvicorn that remembers what it was asked, all of it or the last hundred, and a client in the same process."""
import asyncio
import collections
import sys
import time

import httpx
import uvicorn
from fastapi import FastAPI, Request

REQUESTS = 640
app = FastAPI()
app.state.history = [] if sys.argv[1] == "all" else collections.deque(maxlen=100)


@app.post("/predict")
async def predict(request: Request):
    body = await request.json()
    app.state.history.append(body)
    return {"label": max(range(10), key=lambda i: body["features"][i]), "seen": len(app.state.history)}


async def main():
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    began = time.monotonic()
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        for number in range(1, REQUESTS + 1):
            body = {"id": number, "features": [(number * i % 997) / 997 for i in range(700)]}
            answer = (await client.post("/predict", json=body)).raise_for_status().json()
            print(f"request {number}/{REQUESTS} label {answer['label']} seen {answer['seen']}", flush=True)
            await asyncio.sleep(max(0, began + 0.07 * number - time.monotonic()))
    server.should_exit = True
    await serving


asyncio.run(main())
