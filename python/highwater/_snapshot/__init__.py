"""A look at this process: all its parts, of one moment, written by a fork of it while it goes on (docs/snapshot.md)."""
