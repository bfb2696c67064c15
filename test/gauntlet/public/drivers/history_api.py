"""A service of FastAPI's under uvicorn that remembers what it was asked, all of it or the last two hundred, and a client in the same process."""
import asyncio
import collections
import sys

import httpx
import uvicorn
from fastapi import FastAPI, Request

SECONDS, RATE = 45, 15
app = FastAPI()
app.state.history = [] if sys.argv[1] == "all" else collections.deque(maxlen=200)


@app.post("/predict")
async def predict(request: Request):
    body = await request.json()
    app.state.history.append(body)
    return {"label": max(range(10), key=lambda i: body["features"][i]), "seen": len(app.state.history)}


async def main():
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="info"))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    loop = asyncio.get_running_loop()
    began, asked = loop.time(), 0
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        while (elapsed := loop.time() - began) < SECONDS:
            if asked < elapsed * RATE:
                asked += 1
                body = {"id": asked, "features": [(asked * i % 997) / 997 for i in range(700)]}
                (await client.post("/predict", json=body)).raise_for_status()
            else:
                await asyncio.sleep(0.02)
    server.should_exit = True
    await serving


asyncio.run(main())
