"""What is watched in a program that has no line of ours (docs/injection.md)."""
