"""Limits on memory inside a test, for pytest:

    @pytest.mark.highwater(peak="24MB", leak=False)
    def test_step(): ...

``peak``: what the test may add to the process at most; ``gpu_peak``: the same of torch's tensors on a GPU;
``leak=False``: it is called over and over and must keep nothing. Installed with the package, nothing to import.
"""

import pytest

from ._sizes_text import format_size, parse_size
from ._usage import Peak, levels

MARK = "highwater"
WARM_UP = 4
BLOCKS = 5
CALLS_IN_BLOCK = 4
# A call that keeps less than this, in each block, is a cache that fills, not a leak worth a failed test.
LEAST_BYTES = 256
LEAST_OBJECTS = 1


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "highwater(peak=None, gpu_peak=None, leak=None): limits on the memory that a test takes and keeps"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    mark = pyfuncitem.get_closest_marker(MARK)
    if mark is None:
        return None
    limits = _limits(mark)
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}

    def call():
        result = pyfuncitem.obj(**arguments)
        if hasattr(result, "__await__"):
            pytest.fail("highwater: limits on the memory of asynchronous tests cannot be judged", pytrace=False)

    peak = Peak()
    call()
    _judge("peak", limits["peak"], peak.host())
    _judge("gpu_peak", limits["gpu_peak"], peak.gpu())
    if limits["leak"] is False:
        _judge_leak(call)
    return True


def _limits(mark):
    known = {"peak": None, "gpu_peak": None, "leak": None}
    odd = set(mark.kwargs) - set(known)
    if mark.args or odd:
        pytest.fail("highwater: unknown limit %s; there are peak, gpu_peak and leak" % (odd or mark.args), pytrace=False)
    known.update(mark.kwargs)
    for name in ("peak", "gpu_peak"):
        if known[name] is not None:
            known[name] = _size(known[name])
    return known


def _size(text):
    try:
        return parse_size(text)
    except ValueError as error:
        reason = str(error)
    pytest.fail("highwater: " + reason, pytrace=False)


def _judge(name, most, measured):
    if most is None:
        return
    if measured is None:
        pytest.fail("highwater: %s cannot be measured here (no /proc)" % name, pytrace=False)
    if measured > most:
        text = "highwater: %s of %s, %s allowed" % (name, format_size(measured), format_size(most))
        pytest.fail(text, pytrace=False)


def _judge_leak(call):
    """Growth in every block of calls: what fills up once does not grow in all of them."""
    levels(call, WARM_UP)
    held, blocks = levels(call, BLOCKS * CALLS_IN_BLOCK + 1)
    bytes_kept = _smallest(held) if held else 0
    objects_kept = _smallest(blocks)
    kept = []
    if bytes_kept >= LEAST_BYTES:
        kept.append(format_size(bytes_kept))
    if objects_kept >= LEAST_OBJECTS:
        kept.append("%d objects" % objects_kept)
    if kept:
        calls = BLOCKS * CALLS_IN_BLOCK
        text = "highwater: a leak, %s kept by each of %d calls" % (" and ".join(kept), calls)
        pytest.fail(text, pytrace=False)


def _smallest(values):
    """Of all blocks, for each call."""
    ends = values[::CALLS_IN_BLOCK]
    return min(b - a for a, b in zip(ends, ends[1:])) / CALLS_IN_BLOCK
