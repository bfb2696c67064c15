"""Objects of ours that show a heap and still live: the next heap leaves them out."""

from weakref import WeakSet

_REGISTERED = WeakSet()


def register(one):
    """``one.kept()`` has what is its own beside itself."""
    _REGISTERED.add(one)


def own_addresses():
    """Addresses of it all."""
    ours = {id(_REGISTERED.data), *map(id, _REGISTERED.data)}
    for one in list(_REGISTERED):
        ours.update((id(one), *map(id, one.kept())))
    return ours
