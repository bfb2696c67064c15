# An asyncio service asks a broker, and some answers never come: their tasks wait for ever, or two seconds. Silent.
# truth: {"leak": true, "args": ["for-ever"], "culprit": "main|python|pending|task", "slope": [620000, 860000], "per": "second", "why": "eighty requests a second that wait on, of 8 kB and a task each"}
# truth: {"leak": false, "args": ["two-seconds"]}
import asyncio
import os
import sys

SECONDS, RATE = 50, 100
pending, failed = {}, 0


async def ask(number, body):
    answer = pending[number] = asyncio.get_running_loop().create_future()
    if number % 5 == 0:  # the broker is quick with these
        asyncio.get_running_loop().call_later(0.05, answer.set_result, len(body))
    try:
        return await (answer if sys.argv[1] == "for-ever" else asyncio.wait_for(answer, 2))
    finally:
        del pending[number]


async def handle(number):
    global failed
    try:
        await ask(number, os.urandom(8000))
    except asyncio.TimeoutError:
        failed += 1


async def main():
    loop = asyncio.get_running_loop()
    began, number = loop.time(), 0
    while (elapsed := loop.time() - began) < SECONDS:
        while number < elapsed * RATE:
            asyncio.create_task(handle(number))
            number += 1
        await asyncio.sleep(0.05)
    print("requests", number, "failed", failed, "waiting", len(pending))
    sys.stdout.flush()
    os._exit(0)  # as a service that is told to stop: nobody waits for what never comes


asyncio.run(main())
