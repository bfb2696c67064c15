"""``python -m highwater_profiler``: the command line, also where a package of another project is the one named highwater."""

import sys

from .launcher import main

sys.exit(main())
