"""What explains the size of a process (docs/sizes.md)."""
