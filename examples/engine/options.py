"""What the engine is asked to do: its flags, sizes in bytes, and the faults that can be planted."""

import argparse
import re

FAULTS = {
    "session-cache": "what is kept of a session is never evicted",
    "graph-sizes": "a CUDA graph for each batch size there can be, each with a pool of its own",
    "sleep-keeps": "sleep frees nothing",
    "sleep-leaks": "what was captured before a sleep stays, and is captured again on waking",
    "staging-doubles": "the host buffer for logits is never rewound: it doubles as often as it is full",
    "plan-forgets": "a buffer of --forgotten bytes that no plan counts",
}

UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def parse(argv=None):
    parser = argparse.ArgumentParser(
        prog="engine",
        description="A small inference engine in plain torch: paged KV cache, continuous batching, CUDA graphs, sleep and wake.",
        epilog="example: python examples/engine --requests 40 --fault session-cache",
    )
    model = parser.add_argument_group("the model, made at start")
    model.add_argument("--layers", type=_count, default=2)
    model.add_argument("--dim", type=_count, default=64, help="width of the hidden state (default: 64)")
    model.add_argument("--heads", type=_count, default=4)
    model.add_argument("--vocabulary", type=_count, default=512)
    model.add_argument("--dtype", choices=("float32", "bfloat16", "float16"), help="default: bfloat16 on a card, else float32")
    model.add_argument("--device", help="default: cuda where there is one, else cpu")

    engine = parser.add_argument_group("the engine")
    engine.add_argument("--kv", type=_size, metavar="SIZE", help="of the KV pool (default: 4MiB; with --utilization what it leaves)")
    engine.add_argument("--utilization", type=float, metavar="SHARE", help="of the card that the plan may use, as vLLM's flag of this name")
    engine.add_argument("--block", type=_count, default=16, help="tokens in a block of the KV pool (default: 16)")
    engine.add_argument("--context", type=_count, default=256, help="most tokens of a request, prompt and answer (default: 256)")
    engine.add_argument("--batch", type=_count, default=8, help="most requests that run at once (default: 8)")
    engine.add_argument("--no-graphs", action="store_true", help="on a card: decode without CUDA graphs")
    engine.add_argument("--sessions-kept", type=_count, default=4, help="sessions whose keys and values are kept (default: 4)")
    engine.add_argument("--logprobs", action="store_true", help="bring the logits of each token to the host")
    engine.add_argument("--compile", action="store_true", help="torch.compile the model")

    traffic = parser.add_argument_group("the requests")
    traffic.add_argument("--requests", type=_count, default=40)
    traffic.add_argument("--seed", type=int, default=1)
    traffic.add_argument("--rate", type=float, default=0.5, help="requests that arrive for each step of the engine (default: 0.5)")
    traffic.add_argument("--prompt", type=_spread, default=(8, 64), metavar="FROM-TO", help="tokens that are new in a prompt, log-uniform (default: 8-64)")
    traffic.add_argument("--answer", type=_spread, default=(4, 32), metavar="FROM-TO", help="tokens of an answer, log-uniform (default: 4-32)")
    traffic.add_argument("--sessions", type=_count, default=16, help="conversations that go on at a time (default: 16)")
    traffic.add_argument("--turns", type=_count, default=3, help="turns of a conversation (default: 3)")

    rest = parser.add_argument_group("sleep, processes, output, faults")
    rest.add_argument("--sleep-every", type=_count, metavar="N", help="sleep after each N requests")
    rest.add_argument("--sleep-level", type=int, choices=(1, 2), default=1, help="1: weights go to the host; 2: they are dropped and made again")
    rest.add_argument("--sleep-seconds", type=float, default=0.1)
    rest.add_argument("--processes", action="store_true", help="a front that takes requests and a core that runs them, as processes")
    rest.add_argument("--title", default="MINI", help="what the processes' titles begin with, as in MINI::EngineCore")
    rest.add_argument("--metrics", type=int, metavar="PORT", help="serve /metrics on the loopback (0: any port)")
    rest.add_argument("--log-requests", action="store_true", help="a line for each request that comes and ends")
    rest.add_argument("--truth", metavar="FILE", help="write what the parts really took, as JSON")
    rest.add_argument("--fault", action="append", choices=tuple(FAULTS), default=[], help="; ".join("%s: %s" % item for item in FAULTS.items()))
    rest.add_argument("--forgotten", type=_size, default=3 << 20, metavar="SIZE", help="for plan-forgets (default: 3MiB)")
    rest.add_argument("--staging-most", type=_size, default=64 << 20, metavar="SIZE", help="for staging-doubles: it stops doubling here (default: 64MiB)")
    options = parser.parse_args(argv)
    _check(parser, options)
    return options


def _check(parser, options):
    longest = options.prompt[1] + options.answer[1]
    if options.dim % options.heads:
        parser.error("--dim %d is no multiple of --heads %d" % (options.dim, options.heads))
    if longest > options.context:
        parser.error("--prompt and --answer come to %d tokens, more than --context %d" % (longest, options.context))
    if "staging-doubles" in options.fault:
        options.logprobs = True
    if options.utilization is not None and not 0 < options.utilization <= 1:
        parser.error("--utilization is a share of the card, as 0.9")


def _count(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("%r is not at least 1" % text)
    return value


def _size(text):
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]iB|B|)", text)
    if not found:
        raise argparse.ArgumentTypeError("%r is no size, as 64MiB" % text)
    return int(float(found[1]) * UNITS[found[2]])


def _spread(text):
    found = re.fullmatch(r"(\d+)-(\d+)", text)
    if not found or not 0 < int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError("%r is no range, as 8-64" % text)
    return int(found[1]), int(found[2])
