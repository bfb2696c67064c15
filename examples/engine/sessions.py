"""What is kept of a conversation: keys and values of its prompt, so that the next turn computes only what is new."""

from collections import OrderedDict


class SessionCache:
    def __init__(self, kept, evicts=True):
        self._most = kept
        self._evicts = evicts
        self._kept = OrderedDict()  # session → (tokens, their keys and values)

    def __len__(self):
        return len(self._kept)

    @property
    def bytes(self):
        return sum(kept.nbytes for _, kept in self._kept.values())

    def find(self, request):
        """Keys and values of the prompt's beginning; None: nothing is known of it."""
        tokens, kept = self._kept.get(request.session, ((), None))
        # The last token is computed in any case: its logits are wanted.
        same = len(tokens) < len(request.tokens) and request.tokens[: len(tokens)] == tokens
        return kept if same else None

    def keep(self, request, kept):
        self._kept[request.session] = (list(request.prompt), kept)
        self._kept.move_to_end(request.session)
        while self._evicts and len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def clear(self):
        self._kept.clear()
