"""The requests: who asks what, and when. The same seed asks the same."""

import math
import random
from dataclasses import dataclass, field


@dataclass
class Request:
    number: int
    session: int
    arrives: int  # the engine's step
    prompt: list
    answer_length: int
    answer: list = field(default_factory=list)
    table: list = field(default_factory=list)  # its blocks in the KV pool
    done: int = 0  # tokens whose keys and values are in them

    @property
    def name(self):
        return "req-%d" % self.number

    @property
    def tokens(self):
        return self.prompt + self.answer

    @property
    def finished(self):
        return len(self.answer) >= self.answer_length


def requests(options):
    """Conversations: each turn's prompt begins with that of the turn before, as far as the context allows."""
    chance = random.Random(options.seed)
    conversations = [_Conversation(number) for number in range(options.sessions)]
    sessions = options.sessions
    time = 0.0
    for number in range(options.requests):
        time += chance.expovariate(options.rate)
        at = chance.randrange(len(conversations))
        one = conversations[at]
        new = [chance.randrange(options.vocabulary) for _ in range(_length(chance, options.prompt))]
        answer = _length(chance, options.answer)
        if one.turns == options.turns or len(one.prompt) + len(new) + answer > options.context:
            one = conversations[at] = _Conversation(sessions)
            sessions += 1
        one.prompt = one.prompt + new
        one.turns += 1
        yield Request(number, one.number, int(time), list(one.prompt), answer)


class _Conversation:
    def __init__(self, number):
        self.number = number
        self.turns = 0
        self.prompt = []


def _length(chance, spread):
    low, high = map(math.log, spread)
    return round(math.exp(chance.uniform(low, high)))
