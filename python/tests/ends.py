"""For tests that hold figures against weak references to storages. Not in needs.py, which programs are forked from before they import the package."""

import unittest

from needs import torch

from highwater._storage import tells_ends

# torch 2.0 and 2.1 do not.
needs_ends = unittest.skipUnless(torch is not None and tells_ends(torch), "needs a torch that tells the end of a storage")
