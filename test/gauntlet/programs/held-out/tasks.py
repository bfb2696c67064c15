# asyncio: tasks that wait for an answer which never comes, or that are cancelled.
# truth: {"leak": true, "args": ["wait"], "culprit": "main|python", "slope": [195000, 260000], "per": "iteration"}
# truth: {"leak": false, "args": ["cancel"]}
import asyncio
import sys

STEPS = 200
waiting = set()


async def request(number):
    body = bytearray(b"b") * 50_000
    await asyncio.Event().wait()
    return body[number]


async def main():
    for step in range(STEPS):
        new = [asyncio.create_task(request(step)) for _ in range(4)]
        waiting.update(new)
        await asyncio.sleep(0.03)
        if sys.argv[1] == "cancel":
            for task in new:
                task.cancel()
            waiting.difference_update(new)
        print(f"step {step + 1}/{STEPS} loss {len(waiting)}.0", flush=True)


asyncio.run(main())
