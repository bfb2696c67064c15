"""What the recorder may ask of this process, and the thread that answers (docs/agent-protocol.md).

Nothing is loaded before it is asked for, and nothing runs in the program's own threads.
"""

import json
import select
import socket
import threading

from ._answers import answer_to

MOST_LINE = 1 << 16


def listen(connection, send):
    """Answers through ``send`` whatever comes in on ``connection``, for as long as it is open."""
    thread = threading.Thread(target=_run, args=(connection, send), name="highwater requests", daemon=True)
    thread.start()


def end(connection):
    """Closes, and lets the thread go that waits for requests."""
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    connection.close()


def _run(connection, send):
    try:
        # The connection has a time limit for writing; waiting for a request has none.
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        rest = b""
        while True:
            poll.poll()
            chunk = connection.recv(MOST_LINE)
            if not chunk or len(rest) > MOST_LINE:
                return
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                message = _answer(line)
                if message is not None:
                    send(message)
    except Exception:
        pass  # the recorder went away; the program goes on


def _answer(line):
    try:
        request = json.loads(line)
        what, number = request["what"], request["id"]
        if request["type"] != "request":
            return None
    except (ValueError, KeyError, TypeError):
        return None
    try:
        # A name that is not in the table, in a newer recorder's request, is an answer too.
        value = answer_to(what, request.get("options") or {})
        return {"type": "answer", "id": number, "what": what, "value": value}
    except Exception as error:
        text = "%s: %s" % (type(error).__name__, error)
        return {"type": "answer", "id": number, "what": str(what), "error": text.splitlines()[0][:500]}
