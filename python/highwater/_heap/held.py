"""What was made of a heap to be read, and is still held: no part of the next one."""

from weakref import WeakSet

_HELD = WeakSet()


def hold(one):
    """``one.kept()`` has what is its own beside itself."""
    _HELD.add(one)


def held():
    """Addresses of it all."""
    ours = {id(_HELD.data), *map(id, _HELD.data)}
    for one in list(_HELD):
        ours.update((id(one), *map(id, one.kept())))
    return ours
