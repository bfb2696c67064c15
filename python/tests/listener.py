"""A recorder's socket, for tests of programs that have no line of ours: what each process says on it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading

from beside import PACKAGE


class Listener:
    """``with Listener() as heard``: ``heard.run(script)``, then ``heard.messages``."""

    def __enter__(self):
        self._folder = tempfile.mkdtemp()
        self.path = os.path.join(self._folder, "s")
        self.messages = []  # (pid, message)
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._server.bind(self.path)
        self._server.listen(50)
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.close()
        shutil.rmtree(self._folder)

    def start(self, script, *words, **env):
        """A program as `record` starts it."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("HIGHWATER_", "PYTHON")) and k != "RANK"}
        inject = str(PACKAGE / "highwater" / "_inject")
        return subprocess.Popen(
            [sys.executable, *words, "-c", textwrap.dedent(script)],
            env={**kept, "PYTHONPATH": inject, "HIGHWATER_SOCKET": self.path, **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def containers(self, pid=None):
        """The last row of each container that grew, by what holds it."""
        rows = [row for who, one in self.messages if one["type"] == "objects" and pid in (None, who) for row in one["rows"]]
        return {row[3]: row for row in rows if row[0] == "container"}

    def counters(self, name):
        return [one["values"][name] for _, one in self.messages if one["type"] == "counters" and name in one["values"]]

    def _accept(self):
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def _read(self, connection):
        pid = None
        with connection, connection.makefile("r", encoding="utf8") as lines:
            for line in lines:
                message = json.loads(line)
                pid = message["pid"] if message["type"] == "hello" else pid
                self.messages.append((pid, message))
