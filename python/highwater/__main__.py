"""``PYTHONPATH=$(python -m highwater)``: the folder that lets the agent into programs without a line of ours.

With words, ``python -m highwater record -- python train.py``, the command line, where it is installed too.
"""

import os
import sys

from . import __version__

HELP = """Usage: python -m highwater [--version | verb …]

With a verb, this is the command line: python -m highwater record -- python train.py
Without one, it prints the folder that lets the agent into Python programs without a line of code in them:
  export HIGHWATER_OUT=/shared/job-17 PYTHONPATH=$(python -m highwater)
"""

words = sys.argv[1:]
if not words:
    print(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_inject"))
elif words in (["-h"], ["--help"]):
    print(HELP, end="")
elif words in (["-V"], ["--version"]):
    print(__version__)
else:
    try:
        from highwater_profiler.launcher import main
    except ImportError:
        sys.exit("highwater: only its agent is installed here (pip install highwater-profiler brings the rest)")
    sys.exit(main())
