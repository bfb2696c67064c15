"""Run as a program, in a fresh Python: imports what it is told to, then says how much anonymous memory it has.

Stands alone, so that both the agent and the command line can start it: what goes in is JSON on standard input,
``{"path": sys.path, "modules": [names]}``, what comes out is the last line, ``anon`` and a number of bytes.
"""

import importlib
import json
import os
import sys


def main():
    told = json.load(sys.stdin)
    sys.path[:] = told["path"]
    say = os.dup(1)
    # What modules print while they are imported is nobody's concern.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for name in told["modules"]:
        try:
            importlib.import_module(name)
        except BaseException:
            pass  # it may need what only the program has set up; the others still count
    with open("/proc/self/status") as file:
        found = [line.split()[1] for line in file if line.startswith("RssAnon:")]
    os.write(say, b"anon %d\n" % (int(found[0]) * 1024))
    # Without goodbyes: libraries' own exit handlers have nothing to do here.
    os._exit(0)


if __name__ == "__main__":
    main()
