"""``PYTHONPATH=$(python -m highwater)``: the folder that lets the agent into programs without a line of ours."""

import os

print(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_inject"))
