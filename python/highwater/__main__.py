"""``PYTHONPATH=$(python -m highwater)``: the folder that lets the agent into programs without a line of ours."""

import os
import sys

from . import __version__

HELP = """Usage: python -m highwater [--version]

Prints the folder that lets the agent into Python programs without a line of code in them:
  export HIGHWATER_OUT=/shared/job-17 PYTHONPATH=$(python -m highwater)
The recorder and the reports are the npm package: npx highwater --help
"""

words = sys.argv[1:]
if not words:
    print(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_inject"))
elif words in (["-h"], ["--help"]):
    print(HELP, end="")
elif words in (["-V"], ["--version"]):
    print(__version__)
else:
    sys.exit(f"python -m highwater takes no {' '.join(words)} (--help shows what it does)")
