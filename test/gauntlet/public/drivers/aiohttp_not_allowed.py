"""A server of aiohttp's with a middleware, and a client that asks it in a way it does not allow, as scanners do."""
import asyncio

from aiohttp import ClientSession, web

REQUESTS = 2000


async def hello(request):
    return web.Response(text="hello")


@web.middleware
async def passing(request, handler):
    return await handler(request)


async def main():
    app = web.Application(middlewares=[passing])
    app.router.add_get("/", hello)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    async with ClientSession() as session:
        for number in range(1, REQUESTS + 1):
            async with session.post(url) as response:
                await response.text()
            await asyncio.sleep(0.002)
            if number % 10 == 0:
                print(f"iteration {number}/{REQUESTS} status {response.status}", flush=True)


asyncio.run(main())
