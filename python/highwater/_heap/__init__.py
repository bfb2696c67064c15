"""The objects of a process, as Heapy tells them (docs/python-heap.md)."""
