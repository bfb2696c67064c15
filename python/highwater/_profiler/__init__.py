"""The layer profiler (docs/layers.md)."""
