"""On a GPU: proves `record --layers` and `record --gpu-limit` on real torch, with one command line.

    npm run build && python3 bench/gpu/layers.py

Trains a small model under the recorder, then looks at what the recording has:
  1. --layers: nearly every allocation of the followed iterations carries a tag of layer, phase and iteration, also
     those of the backward pass, which autograd's own threads make; the snapshot of the end is read by `report`;
     the loss is the same to the bit with and without; what the hooks cost is in the report;
  2. --gpu-limit: a batch that would need more than the limit dies of it with torch's own out-of-memory error, a
     smaller one does not; the report says what torch was held to.
Prints what it saw and fails where something is not so.
"""

import glob
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = ["node", str(ROOT / "dist" / "cli.js")]

TRAIN = """
import sys, torch
from torch import nn
torch.manual_seed(0)
torch.use_deterministic_algorithms(True, warn_only=True)
model = nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 10)).cuda()
adam = torch.optim.Adam(model.parameters())
for _ in range(12):
    x = torch.randn(512, 1024, device="cuda")
    loss = nn.functional.mse_loss(model(x), torch.zeros(512, 10, device="cuda"))
    adam.zero_grad()
    loss.backward()
    adam.step()
torch.cuda.synchronize()
print(loss.item().hex())
"""

FILL = """
import sys, torch
model = torch.nn.Linear(8, 8).cuda()
kept = [torch.empty(1 << 28, dtype=torch.uint8, device="cuda") for _ in range(int(sys.argv[1]))]
sgd = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    model(torch.ones(4, 8, device="cuda")).sum().backward(); sgd.step()
print("fits")
"""


def record(folder, name, flags, script, *words):
    file = os.path.join(folder, name + ".py")
    with open(file, "w") as out:
        out.write(script)
    recording = os.path.join(folder, name + ".hw")
    env = {**os.environ, "CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
    command = [*CLI, "record", "-q", *flags, "-o", recording, "--", sys.executable, file, *words]
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    return recording, done


def report(recording):
    return json.loads(subprocess.run([*CLI, "report", recording, "--json"], capture_output=True, check=True).stdout)


def check(what, holds, seen):
    print("%-6s %s: %s" % ("ok" if holds else "FAILED", what, seen))
    if not holds:
        failed.append(what)


def layers(folder):
    plain = record(folder, "plain", [], TRAIN)[1]
    recording, followed = record(folder, "layers", ["--layers"], TRAIN)
    check("the same loss to the bit", followed.stdout == plain.stdout and plain.returncode == 0, followed.stdout.strip())
    dumps = glob.glob(os.path.join(recording, "end-*.pickle"))
    check("a snapshot of the end", len(dumps) == 1, dumps or followed.stderr)
    if dumps:
        tags(dumps[0])
    told = report(recording)
    model = told["layers"][0] if told["layers"] else {"layers": []}
    check("layers in the recording", {"0", "2", "4"} <= {one["layer"] for one in model["layers"]}, len(model["layers"]))
    top = [one["tag"] for device in told["devices"] for one in device["topTags"]]
    check("tags in the report", any("(iteration" in tag for tag in top), top[:4])
    cost = told["inside"]["layers"]
    check("the cost is told", bool(cost) and cost["addedShare"] > 0, cost)
    check("the history is reported apart", told["inside"]["historyBytes"] > 0, told["inside"]["historyBytes"])


def tags(path):
    with open(path, "rb") as file:
        events = [event for trace in pickle.load(file)["device_traces"] for event in trace]
    made = [(event.get("user_metadata") or "") for event in events if event["action"] == "alloc"]
    # The first iteration is before the model is known.
    begun = next((at for at, tag in enumerate(made) if tag), len(made))
    later = made[begun:]
    tagged = [tag for tag in later if tag]
    check("allocations with a tag once it began", len(tagged) >= 0.95 * len(later) > 0, "%d of %d" % (len(tagged), len(later)))
    phases = {phase: sum(" %s #" % phase in tag for tag in tagged) for phase in ("forward", "backward", "optimizer")}
    check("in the forward and the backward pass", phases["forward"] > 0 and phases["backward"] > 0, phases)
    of_layers = {tag.split(" ")[0] for tag in tagged if " backward #" in tag}
    check("layers in the backward pass", {"0", "2", "4"} <= of_layers, sorted(of_layers))


def limit(folder):
    flags = ["--gpu-limit", "4GiB"]
    recording, small = record(folder, "small", flags, FILL, "8")
    check("2 GiB fit into 4 GiB", small.stdout == "fits\n", small.stdout or small.stderr[-300:])
    held = report(recording)["inside"]["gpuLimits"]
    check("the report says what torch was held to", bool(held) and held[0]["allowedBytes"] < 4 << 30, held)
    large = record(folder, "large", flags, FILL, "20")[1]
    check("5 GiB do not", large.returncode != 0 and "out of memory" in large.stderr, large.stderr[-200:].strip())


failed = []
with tempfile.TemporaryDirectory() as scratch:
    layers(scratch)
    limit(scratch)
sys.exit(1 if failed else 0)
