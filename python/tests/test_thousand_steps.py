"""A thousand steps of a training under ``record``: nothing of ours grows with them, and the losses are those of a bare run."""

import json
import unittest

from listener import Listener
from needs import needs_torch, run

# What is ours is counted at step 200 and at step 1,000.
TRAIN = """
    import gc, json, os, sys
    import torch
    from torch import nn
    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    model = nn.Sequential(*[nn.Sequential(nn.Linear(16, 16), nn.Tanh()) for _ in range(4)], nn.Linear(16, 4))
    adam = torch.optim.Adam(model.parameters())
    PLAIN = (dict, list, tuple, set)

    def is_ours(one):
        return str(type(one).__dict__.get("__module__")).split(".")[0] == "_highwater"

    def entries(one, seen):
        "How much a container has in it, and those within."
        if id(one) in seen or not (isinstance(one, PLAIN) or type(one).__name__ == "deque"):
            return 0
        seen.add(id(one))
        inner = list(one.values()) if isinstance(one, dict) else list(one)
        return len(inner) + sum(entries(each, seen) for each in inner)

    def ours():
        gc.collect()
        objects = [one for one in gc.get_objects() if is_ours(one)]
        seen = {id(vars(sys))} | {id(vars(one)) for one in list(sys.modules.values()) if hasattr(one, "__dict__")}
        held = [gc.get_referents(one) for one in objects]
        modules = [vars(one) for name, one in list(sys.modules.items()) if name.split(".")[0] == "_highwater"]
        held += [list(one.values()) for one in modules]
        return {
            "objects": len(objects),
            "entries": sum(entries(each, seen) for all_of_one in held for each in all_of_one),
            "hooks": sum(len(one._forward_hooks) + len(one._forward_pre_hooks) for one in model.modules()),
            "resident": int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE"),
            "loaded": "_highwater" in sys.modules,
        }

    losses, counted = [], []
    for step in range(1, 1001):
        loss = model(torch.full((8, 16), step / 1000)).pow(2).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item().hex())
        if step in (200, 1000):
            counted.append(ours())
    print(json.dumps([losses, counted]))
"""


@needs_torch
class Thousand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        code, out, errors = run(TRAIN)
        assert code == 0, errors
        cls.losses, counted = json.loads(out)
        assert not counted[0]["loaded"]

    def check(self, **env):
        with Listener() as heard:
            process = heard.start(TRAIN, OMP_NUM_THREADS="1", **env)
            out, errors = process.communicate(timeout=300)
            self.assertEqual((process.returncode, errors), (0, ""))
        losses, (early, late) = json.loads(out)
        self.assertTrue(early["loaded"])
        self.assertEqual(losses, self.losses)
        # Rings that are still filling may have a few more; one for each step would be 800.
        self.assertLessEqual(late["objects"], early["objects"] + 10)
        self.assertLessEqual(late["entries"], early["entries"] + 200)
        self.assertLess(late["resident"], early["resident"] + (8 << 20))
        return {one["type"] for _, one in heard.messages}

    def test_plain_record(self):
        self.check()

    def test_layers(self):
        self.assertIn("layers", self.check(HIGHWATER_LAYERS="1"))


if __name__ == "__main__":
    unittest.main()
