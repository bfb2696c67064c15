/**
 * Python programs that have nothing to do with training: what they print and how they end must be the
 * same with our folder on their path and without it.
 */
export interface Program {
  readonly name: string;
  /** Words after `python`; of a shell line, `$PY` is the interpreter. */
  readonly argv?: readonly string[];
  readonly shell?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What differs from run to run in any case. */
  readonly mask?: RegExp;
}

/** Written into the folder that each of them runs in. */
export const FILES: Readonly<Record<string, string>> = {
  'hello.py': 'def add(a, b):\n    return a + b\n\n\nprint("hello", add(1, 2))\n',
  'data.json': '{"b": [1, 2, {"c": null}], "a": "größer"}\n',
  'documented.py': 'def twice(x):\n    """\n    >>> twice(2)\n    4\n    """\n    return x * 2\n',
  'test_sum.py':
    'import unittest\n\n\nclass Sum(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(sum([1, 2]), 3)\n\n    def test_wrong(self):\n        self.assertEqual(sum([1, 2]), 4)\n',
  'app/__main__.py': 'import sys\nprint("app", sys.path[0].endswith("app.pyz"))\n',
  'pool.py':
    'import multiprocessing, sys\n\n\ndef square(x):\n    return x * x, len(sys.path), sorted(n for n in sys.modules if "highwater" in n)\n\n\nif __name__ == "__main__":\n    multiprocessing.set_start_method(sys.argv[1])\n    with multiprocessing.Pool(2) as pool:\n        print(pool.map(square, range(5)))\n',
  'farm.py':
    'import subprocess, sys\nchildren = [subprocess.Popen([sys.executable, "-c", "import sys; print(sys.path, len(sys.modules)); sys.exit(%d)" % n], stdout=subprocess.PIPE) for n in range(8)]\nfor child in children:\n    print(child.communicate()[0], child.returncode)\n',
  'server.py':
    'import http.server, threading, urllib.request\n\n\nclass Handler(http.server.BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200)\n        self.end_headers()\n        self.wfile.write(b"hi " + self.path.encode())\n\n    def log_message(self, *args):\n        pass\n\n\nserver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)\nthreading.Thread(target=server.serve_forever, daemon=True).start()\nprint(urllib.request.urlopen("http://127.0.0.1:%d/x" % server.server_address[1]).read())\nserver.shutdown()\n',
  'echo.py':
    'import asyncio\n\n\nasync def serve(reader, writer):\n    writer.write(await reader.readline())\n    await writer.drain()\n    writer.close()\n\n\nasync def main():\n    server = await asyncio.start_server(serve, "127.0.0.1", 0)\n    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())\n    writer.write(b"ping\\n")\n    print(await reader.readline())\n    writer.close()\n    server.close()\n\n\nasyncio.run(main())\n',
  'own/sitecustomize.py': 'import sys\nsys.own = __file__\nprint("own sitecustomize", __name__)\n',
  'angry/sitecustomize.py': 'raise ValueError("no")\n',
  'lacking/sitecustomize.py': 'import does_not_exist\n',
  'leaving/sitecustomize.py': 'raise SystemExit(5)\n',
  'user/usercustomize.py': 'print("usercustomize")\n',
  'startup.py': 'print("started up")\n',
  'good/torch/__init__.py': 'import sys\nvalue = 42\n',
  'bad/torch/__init__.py':
    'def load():\n    raise OSError("libtorch.so: cannot open")\n\n\nload()\n',
  'lazy/torch/__init__.py': 'import no_such_part\n',
  'raise.py': 'def inner():\n    raise RuntimeError("broken")\n\n\ninner()\n',
};

const c = (name: string, code: string, more: Partial<Program> = {}): Program => ({
  name,
  argv: ['-c', code],
  ...more,
});
const m = (name: string, ...argv: string[]): Program => ({ name, argv: ['-m', ...argv] });
// A unit goes with its figure: the same loop takes nanoseconds here and microseconds there.
const SECONDS = /[\d.]+ [num]?sec|\d+\.\d+( ?s|\b)/g;
const SHOW_OWN = 'import sys; print(getattr(sys, "own", None), sys.modules.get("sitecustomize"))';

export const PROGRAMS: readonly Program[] = [
  c('prints its path', 'import sys; print(sys.path, sys.argv, sys.flags)'),
  c('lists its modules', 'import sys; print(sorted(sys.modules))'),
  c('looks for a sitecustomize', 'import sys; print("sitecustomize" in sys.modules)'),
  c('lists known folders', 'import sys; print(sorted(sys.path_importer_cache))'),
  c('counts threads', 'import threading; print(threading.active_count())'),
  c('lists its files', 'import os; print(len(os.listdir("/proc/self/fd")))'),
  c('lists its warnings', 'import warnings; print(warnings.filters)'),
  c('asks for site packages', 'import site; print(site.getsitepackages(), site.PREFIXES)'),
  c('exits with a code', 'import sys; sys.exit(3)'),
  c('exits with words', 'import sys; sys.exit("bad luck")'),
  c('is killed', 'import os, signal; os.kill(os.getpid(), signal.SIGTERM)'),
  c('forks', 'import os\np = os.fork()\nif p == 0: os._exit(7)\nprint(os.waitpid(p, 0)[1] >> 8)'),
  c('execs', 'import os, sys; os.execv(sys.executable, [sys.executable, "-c", "print(1)"])'),
  c('ends in a hook', 'import atexit; atexit.register(print, "bye")'),
  c('imports what is not there', 'import does_not_exist'),
  c('imports torch that is not there', 'import torch'),
  c('looks whether torch is there', 'import importlib.util as u; print(u.find_spec("torch"))'),
  c(
    'uses a database',
    'import sqlite3; print(sqlite3.connect(":memory:").execute("select 1").fetchone())',
  ),
  c('uses ctypes', 'import ctypes; print(ctypes.CDLL(None).abs(-3))'),
  c('pickles', 'import pickle; print(pickle.loads(pickle.dumps({1: "a"})))'),
  c('logs', 'import logging; logging.basicConfig(); logging.warning("careful")'),
  c('warns', 'import warnings; warnings.warn("old", DeprecationWarning)'),
  c(
    'uses futures',
    'from concurrent.futures import ThreadPoolExecutor as T; print(list(T(2).map(abs, [-1, 2])))',
  ),
  c('reads its input', 'import sys; print(sys.stdin.read().upper())', { stdin: 'abc\n' }),
  c('runs a shell', 'import os; os.system("echo from a shell")'),
  c(
    'scrubs the environment of a child',
    'import subprocess, sys; subprocess.run([sys.executable, "-c", "import sys; print(sys.path)"], env={})',
  ),
  c(
    'imports a good torch',
    'import torch; print(torch.value, torch.__spec__, vars(torch.__loader__))',
    { env: { PYTHONPATH: 'good' } },
  ),
  c(
    'finds a good torch, then imports it',
    'import importlib.util as u; print(u.find_spec("torch")); import torch; print(torch.__file__)',
    { env: { PYTHONPATH: 'good' } },
  ),
  c('imports a broken torch', 'import torch', { env: { PYTHONPATH: 'bad' } }),
  c('imports a torch that lacks a part', 'import torch', { env: { PYTHONPATH: 'lazy' } }),
  c(
    'tries a broken torch twice',
    'for n in 1, 2:\n    try: import torch\n    except OSError as error: print(error)',
    { env: { PYTHONPATH: 'bad' } },
  ),
  c('has a PYTHONPATH', 'import sys; print(sys.path)', {
    env: { PYTHONPATH: '/nowhere:good:/tmp' },
  }),
  c('has an empty PYTHONPATH', 'import sys; print(sys.path)', { env: { PYTHONPATH: '' } }),
  c('has a PYTHONPATH with an empty end', 'import sys; print(sys.path)', {
    env: { PYTHONPATH: '/nowhere:' },
  }),
  c('has a sitecustomize of its own', SHOW_OWN, { env: { PYTHONPATH: 'own' } }),
  c('has two sitecustomizes', SHOW_OWN, { env: { PYTHONPATH: 'good:own:angry' } }),
  c('has a sitecustomize that raises', SHOW_OWN, { env: { PYTHONPATH: 'angry' } }),
  c('has a sitecustomize that lacks a module', SHOW_OWN, { env: { PYTHONPATH: 'lacking' } }),
  // Python shows where it came from, and so the line of ours that handed on to it.
  c('has a sitecustomize that exits', SHOW_OWN, {
    env: { PYTHONPATH: 'leaving' },
    mask: / {2}File ".*_inject.*\n.*\n(.*\^\n)?/g,
  }),
  c('has a usercustomize', SHOW_OWN, { env: { PYTHONPATH: 'user' } }),
  c('has a home', 'import os; print(os.__file__)', { env: { PYTHONHOME: '$PREFIX' } }),
  c('has hashes without a seed', 'print(hash("a"))', { env: { PYTHONHASHSEED: '0' } }),
  { name: 'is a script', argv: ['hello.py'] },
  { name: 'is a script that raises', argv: ['raise.py'] },
  { name: 'is a script that is not there', argv: ['nothing.py'] },
  {
    name: 'is isolated (-I)',
    argv: ['-I', '-c', 'import sys; print(sys.path, sorted(sys.modules))'],
  },
  { name: 'ignores the environment (-E)', argv: ['-E', '-c', 'import sys; print(sys.path)'] },
  { name: 'ignores the user (-s)', argv: ['-s', '-c', 'import sys; print(sys.path, sys.flags)'] },
  { name: 'runs without site (-S)', argv: ['-S', '-c', 'import sys; print(sorted(sys.modules))'] },
  { name: 'writes no bytecode (-B)', argv: ['-B', 'hello.py'] },
  { name: 'is optimized (-OO)', argv: ['-OO', 'hello.py'] },
  {
    name: 'makes errors of warnings',
    argv: ['-W', 'error', '-c', 'import json, http.client; print(1)'],
  },
  {
    name: 'is in development mode',
    argv: ['-X', 'dev', '-c', 'import json; print(json.dumps([1]))'],
  },
  {
    name: 'is interactive',
    argv: ['-q', '-i'],
    stdin: 'print(6 * 7)\n',
    env: { PYTHONSTARTUP: 'startup.py' },
  },
  { name: 'is a program on stdin', argv: ['-'], stdin: 'import sys; print(sys.path[0] == "")' },
  { name: 'asks for the version', argv: ['-VV'] },
  m('site', 'site'),
  m('sysconfig', 'sysconfig'),
  m('platform', 'platform'),
  m('pip', 'pip', '--version'),
  m('pip list', 'pip', 'list', '--disable-pip-version-check'),
  m('ensurepip', 'ensurepip', '--version'),
  m('json.tool', 'json.tool', 'data.json'),
  // Once: of several it warns where the worst took four times the best, as on a busy machine.
  { ...m('timeit', 'timeit', '-n', '5', '-r', '1', 'sum([1, 2])'), mask: SECONDS },
  { ...m('unittest', 'unittest', 'test_sum'), mask: SECONDS },
  { ...m('cProfile', 'cProfile', '-s', 'name', 'hello.py'), mask: SECONDS },
  m('doctest', 'doctest', '-v', 'documented.py'),
  m('pydoc', 'pydoc', 'json'),
  m('ast', 'ast', 'hello.py'),
  m('dis', 'dis', 'hello.py'),
  m('tokenize', 'tokenize', 'hello.py'),
  m('compileall', 'compileall', '.'),
  m('py_compile', 'py_compile', 'hello.py'),
  m('calendar', 'calendar', '2026', '2'),
  m('base64', 'base64', '-e', 'data.json'),
  m('tarfile', 'tarfile', '-v', '-c', 'x.tar', 'hello.py'),
  m('zipfile', 'zipfile', '-c', 'x.zip', 'hello.py'),
  m('inspect', 'inspect', 'json:loads'),
  m('trace', 'trace', '--count', '--summary', '-C', 'covered', 'hello.py'),
  m('runs a package', 'app'),
  { name: 'zipapp', shell: '$PY -m zipapp app -o app.pyz && $PY app.pyz' },
  {
    name: 'venv',
    shell: '$PY -m venv --without-pip env && env/bin/python -c "import sys; print(sys.path)"',
  },
  { name: 'http.server', argv: ['server.py'] },
  { name: 'asyncio', argv: ['echo.py'] },
  { name: 'a farm of children', argv: ['farm.py'] },
  { name: 'a pool that forks', argv: ['pool.py', 'fork'] },
  { name: 'a pool that spawns', argv: ['pool.py', 'spawn'] },
  { name: 'a pool with a server', argv: ['pool.py', 'forkserver'] },
  {
    name: 'a pipe of two',
    shell: '$PY -c "print(1)" | $PY -c "import sys; print(sys.stdin.read())"',
  },
  { name: 'Debian: pydoc3', shell: 'pydoc3 abs' },
  { name: 'Debian: py3compile', shell: 'py3compile --version' },
  { name: 'Debian: py3versions', shell: 'py3versions --supported' },
  { name: 'Debian: pip', shell: '/usr/bin/pip --version' },
  { name: 'Debian: 2to3', shell: '2to3 hello.py' },
  {
    name: 'Debian: its own python',
    shell: '/usr/bin/python3 -c "import sys; print(sys.path, sys.modules.get(\'sitecustomize\'))"',
  },
];
