"""The part that holds the engine: in the one process there is, or in one of its own behind a front."""

import json
import zlib

from engine import Engine
from log import in_words, say
from metrics import serve_metrics
from serve import Serving


def run(options, source, answered=lambda request: None):
    """Runs all requests of the source, and says what came of it. Returns a checksum of all answers."""
    engine = Engine(options)
    if options.metrics is not None:
        say("metrics: http://127.0.0.1:%d/metrics" % serve_metrics(engine, options.metrics))
    answers = {}

    def done(request):
        answers[request.number] = request.answer
        answered(request)

    serving = Serving(options, engine, source)
    seconds = serving.run(done)
    checksum = zlib.crc32(json.dumps(sorted(answers.items())).encode())
    say(
        "done: %d requests, %d tokens in %.2f s, %.1f tokens/s, %d preemptions, KV pool never above %.1f %%"
        % (
            len(answers),
            engine.answer_tokens,
            seconds,
            engine.answer_tokens / max(seconds, 1e-9),
            engine.scheduler.preemptions,
            100 * engine.truth()["kv_most_used"],
        )
    )
    say("holds: %d bytes (%s)" % (engine.held(), in_words(engine.held())))
    say("checksum of all answers: %08x" % checksum)
    if options.truth:
        with open(options.truth, "w") as file:
            told = {"tokens": engine.answer_tokens, "seconds": seconds, "checksum": "%08x" % checksum, "kept": serving.kept}
            json.dump({**engine.truth(), **told}, file, indent=2)
    return checksum
