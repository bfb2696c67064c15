"""The agent alone: golden messages, no recorder, a file, a full queue, forks. Standard library only."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import textwrap
import unittest

from beside import PACKAGE

from highwater import _agent, _marks

GOLDEN = PACKAGE.parent / "test" / "fixtures" / "agent" / "messages.ndjson"


def run(script, **env):
    """Runs a program that uses the agent; its exit code, output and errors."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("HIGHWATER_") and k != "RANK"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env={**kept, "PYTHONPATH": str(PACKAGE), **env},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def lines_of(folder):
    """What each process said, but for its own size, which it tells now and then."""
    spoken = [
        [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]
        for path in sorted(pathlib.Path(folder).iterdir())
    ]
    return [[message for message in messages if message["type"] != "counters"] for messages in spoken]


class Protocol(unittest.TestCase):
    def test_encodes_the_golden_messages_to_the_byte(self):
        for line in GOLDEN.read_bytes().splitlines(keepends=True):
            self.assertEqual(_agent.encode(json.loads(line)), line)

    def test_sends_only_plain_numbers(self):
        for value, sent in [(1, 1), (0.5, 0.5), (True, None), ("1", None), (object(), None)]:
            self.assertEqual(_marks._number(value), sent)
        self.assertIsNone(_marks._number(float("nan")))
        self.assertIsNone(_marks._number(float("inf")))


class Listens(unittest.TestCase):
    def test_says_hello_when_it_is_imported_under_a_recorder(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(path)
                server.listen()
                server.settimeout(30)
                script = "import sys, highwater; sys.stdin.read()"
                with subprocess.Popen(
                    [sys.executable, "-c", script],
                    env={**os.environ, "PYTHONPATH": str(PACKAGE), "HIGHWATER_SOCKET": path},
                    stdin=subprocess.PIPE,
                ) as program:
                    connection, _ = server.accept()
                    with connection, connection.makefile() as said:
                        hello = json.loads(said.readline())
                        program.stdin.close()
        self.assertEqual((hello["type"], hello["pid"]), ("hello", program.pid))
        self.assertIn("heap", hello["answers"])


class Alone(unittest.TestCase):
    SCRIPT = """
        import highwater
        highwater.epoch(1)
        highwater.iteration(85, epoch=1, value=0.25)
        with highwater.phase("backward"):
            pass
        highwater.mark("größer ☃")
        print("done")
    """

    def test_does_nothing_without_a_recorder(self):
        self.assertEqual(run(self.SCRIPT), (0, "done\n", ""))

    def test_goes_on_when_the_socket_is_gone(self):
        self.assertEqual(run(self.SCRIPT, HIGHWATER_SOCKET="/nowhere/s"), (0, "done\n", ""))

    def test_writes_its_lines_to_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(self.SCRIPT, HIGHWATER_OUT=folder, RANK="3", WORLD_SIZE="4")[0], 0)
            (messages,) = lines_of(folder)
            (name,) = os.listdir(folder)
        self.assertRegex(name, r"-3-\d+\.ndjson$")
        self.assertEqual(messages[0]["rank"], 3)
        kinds = [(m["type"], m.get("kind"), m.get("name")) for m in messages]
        self.assertEqual(
            kinds,
            [
                ("hello", None, None),
                ("mark", "epoch", ""),
                ("mark", "iteration", ""),
                ("mark", "phase", "backward"),
                ("mark", "phase", "/backward"),
                ("mark", "note", "größer ☃"),
                ("bye", None, None),
            ],
        )

    def test_a_phase_ends_when_its_body_raises(self):
        script = """
            import highwater
            try:
                with highwater.phase("forward"):
                    raise ValueError
            except ValueError:
                pass
        """
        with tempfile.TemporaryDirectory() as folder:
            run(script, HIGHWATER_OUT=folder)
            (messages,) = lines_of(folder)
        self.assertEqual([m.get("name") for m in messages[1:3]], ["forward", "/forward"])

    def test_tells_its_own_size_where_nobody_else_can(self):
        with tempfile.TemporaryDirectory() as folder:
            run("import highwater; x = bytearray(b'x') * (50 << 20); highwater.mark('large')", HIGHWATER_OUT=folder)
            (path,) = pathlib.Path(folder).iterdir()
            sizes = [json.loads(line)["values"] for line in path.read_text().splitlines() if "counters" in line]
        self.assertGreater(sizes[-1]["process.rss"], 50 << 20)
        self.assertGreaterEqual(sizes[-1]["process.hwm"], sizes[-1]["process.rss"])

    def test_a_forked_child_speaks_for_itself(self):
        script = """
            import os, sys, highwater
            highwater.mark("parent")
            pid = os.fork()
            if pid == 0:
                highwater.mark("child")
                sys.exit()
            os.waitpid(pid, 0)
        """
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(script, HIGHWATER_OUT=folder), (0, "", ""))
            spoken = lines_of(folder)
        self.assertEqual(sorted(m[1]["name"] for m in spoken), ["child", "parent"])
        self.assertEqual(len({m[0]["pid"] for m in spoken}), 2)

    def test_a_full_queue_drops_and_counts(self):
        script = """
            import os, threading
            from highwater import _agent, mark
            gate = threading.Event()
            sent = []
            def slow(*messages):
                gate.wait(10)
                sent.extend(messages)
            _agent._connect = lambda path, send: (slow, lambda: None)
            for i in range(_agent.QUEUE_LENGTH + 500):
                mark(str(i))
            gate.set()
            _agent.agent.close()
            print(len(sent) - 2 + sent[-1]["dropped"], sent[-1]["dropped"] >= 498)
        """
        self.assertEqual(run(script), (0, "10500 True\n", ""))


if __name__ == "__main__":
    unittest.main()
