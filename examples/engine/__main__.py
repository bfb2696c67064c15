"""A small inference engine in plain torch; README.md says what for.

    python examples/engine --requests 40
"""

import options


def main():
    chosen = options.parse()
    if chosen.processes:
        import front

        return front.run(chosen)
    import core
    import traffic

    core.run(chosen, traffic.requests(chosen))
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except (MemoryError, ValueError) as error:
        raise SystemExit("engine: %s" % error)
