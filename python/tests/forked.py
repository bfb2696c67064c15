"""Programs that train, each in a process of its own, forked from one that has imported torch and done nothing else.

Importing torch takes longer than all that a test's program does with it. For programs that import torch anyway,
before the package or after it; whatever depends on how a process starts needs one that does (``needs.run``).
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import traceback
import types

import needs  # which imports torch

_server = None


def run_forked(script, cwd=None, **env):
    """As ``needs.run``: exit code, output, errors."""
    global _server
    if _server is None:
        words = [sys.executable, __file__]
        _server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=needs.environment())
        atexit.register(_end)
    with tempfile.TemporaryDirectory() as folder:
        out, errors = (os.path.join(folder, name) for name in ("out", "errors"))
        wish = [textwrap.dedent(script), needs.environment(**env), cwd or os.getcwd(), out, errors]
        _server.stdin.write(json.dumps(wish).encode() + b"\n")
        _server.stdin.flush()
        code = int(_server.stdout.readline())
        with open(out) as said, open(errors) as complained:
            return code, said.read(), complained.read()


def _end():
    _server.stdin.close()
    _server.stdout.close()
    _server.wait()


def _serve():
    import torch._dynamo  # noqa: F401  as every optimizer does

    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _become(*json.loads(line))
        _, status = os.waitpid(pid, 0)
        os.write(1, b"%d\n" % os.waitstatus_to_exitcode(status))


def _become(script, environment, cwd, out, errors):
    """The program, as if an interpreter had been started for it. Does not return."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT), 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(cwd)
    sys.path[:2] = [""]  # in place of the package, which is in PYTHONPATH too, and of the tests
    sys.argv[:] = ["-c"]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    code = 0
    try:
        exec(compile(script, "<string>", "exec"), main.__dict__)
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve()
