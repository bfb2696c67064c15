"""Highwater as pip installs it: its command line, and the way to it. What programs import is the package ``highwater``."""
