"""`%load_ext highwater`: what cells of a notebook take and leave (docs/notebooks.md). Needs IPython, and nothing else."""
