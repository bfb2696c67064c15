"""Records the programs of this folder on a machine with a card, and keeps their recordings and reports.

    HIGHWATER='node dist/cli.js' python3 test/gauntlet/gpu/run.py OUT [PATTERN]

Small programs run seven at a time; those that say `alone` have the card to themselves. Those in host/ need no card, and
some of them root. Each leaves NAME.hwz and NAME.json, its report; results.json has how each ended and how long it took.
test/gauntlet/gpu/judge.ts judges them. Those with public packages need these on the path: public/pack.py.
"""

import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).parent
FOLDERS = ("programs", "unseen", "later", "host")
AT_A_TIME = 7
MOST_SECONDS = 90


def programs(pattern):
    for path in sorted(path for folder in FOLDERS for path in (HERE / folder).glob("*")):
        if path.suffix not in (".py", ".mjs"):
            continue
        for line in path.read_text().splitlines()[:20]:
            found = re.search(r"\btruth: (\{.*\})", line)
            if found:
                truth = json.loads(found.group(1))
                name = "-".join([path.stem, *truth.get("args", [])])
                if re.search(pattern, name):
                    yield name, path, truth


def run(name, path, truth, out):
    highwater = shlex.split(os.environ["HIGHWATER"])
    recording = out / f"{name}.hw"
    beside = None
    if "beside" in truth:
        script, *args = truth["beside"]
        beside = subprocess.Popen([sys.executable, HERE / "beside" / script, *args], stdout=subprocess.PIPE)
        beside.stdout.readline()
    began = time.monotonic()
    by = [word.format(here=HERE.resolve(), python=sys.executable) for word in truth.get("by", ["{python}"])]
    command = [*by, str(path), *truth.get("args", [])]
    recorder = subprocess.Popen(
        [*highwater, "record", "-q", "--force", "-o", recording, *truth.get("record", []), "--", *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
    )  # fmt: skip
    said = []
    # In a thread, as a process that outlives its program would keep the pipes open for good.
    listener = threading.Thread(target=lambda: said.extend(recorder.communicate()), daemon=True)
    listener.start()
    listener.join(MOST_SECONDS)
    if listener.is_alive():
        # It ends its program in order; what is left would hold what the others need.
        recorder.terminate()
        listener.join(5)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(recorder.pid, signal.SIGKILL)
        listener.join(5)
    if beside:
        beside.kill()
        beside.wait()
    seconds = time.monotonic() - began
    report = subprocess.run([*highwater, "report", recording, "--json"], capture_output=True, text=True)
    (out / f"{name}.json").write_text(report.stdout)
    text = subprocess.run([*highwater, "report", recording], capture_output=True, text=True)
    (out / f"{name}.txt").write_text(text.stdout + text.stderr)
    subprocess.run([*highwater, "pack", recording, "-o", out / f"{name}.hwz"], capture_output=True)
    stderr = said[1][-2000:] if said else ""
    return {"name": name, "code": recorder.returncode, "seconds": round(seconds, 1), "stderr": stderr}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    wanted = list(programs(sys.argv[2] if len(sys.argv) > 2 else ""))
    together = [one for one in wanted if not one[2].get("alone")]
    results = []

    def done(one):
        results.append(run(*one, out))
        (out / "results.json").write_text(json.dumps(sorted(results, key=lambda one: one["name"]), indent=1))
        print("%(name)-28s code %(code)s  %(seconds)5.1f s" % results[-1], flush=True)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(done, together))
    for one in wanted:
        if one[2].get("alone"):
            done(one)


if __name__ == "__main__":
    main()
