"""What a program is doing, read off its main thread by another one."""

import unittest

from needs import needs_torch, run

WATCH = """
    import threading, time
    from highwater._running import moment
    torch = None
    seen, over = [], threading.Event()
    def watch():
        while not over.wait(0.01):
            seen.append(moment(torch))
    def told():
        over.set()
        thread.join()
        for one in sorted(set(seen)):
            print("|".join(map(str, one)))
    thread = threading.Thread(target=watch)
"""


class Running(unittest.TestCase):
    def told(self, script):
        code, out, err = run(WATCH + script)
        self.assertEqual(code, 0, err)
        return [line.split("|") for line in out.splitlines()], out

    def test_the_line_of_the_program_itself_is_told_not_that_of_a_library(self):
        rows, out = self.told("""
    import json
    big = [list(range(100)) for _ in range(2000)]
    thread.start()
    def work():
        until = time.time() + 0.5
        while time.time() < until:
            json.dumps(big, indent=1)
    work()
    told()
""")
        self.assertTrue(any(row[1] == "work" and row[0].startswith("<string>:") for row in rows), out)
        self.assertTrue(all(row[2:] == ["", "", "0"] for row in rows), out)

    @needs_torch
    def test_passes_modules_and_whether_gradients_are_kept(self):
        rows, out = self.told("""
    import torch
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(300, 300)
        def forward(self, x):
            for _ in range(200):
                x = self.inner(x).relu()
            return x
    net, x = Net(), torch.ones(64, 300)
    def evaluate():
        with torch.no_grad():
            for _ in range(20):
                net(x)
    def train():
        for _ in range(20):
            net(x)
        for _ in range(10):
            net(x).sum().backward()
    thread.start()
    evaluate()
    train()
    told()
""")
        facts = {(row[2], row[3], row[4]) for row in rows}
        self.assertIn(("forward", "Net", "1"), facts, out)
        self.assertIn(("forward", "Net", "2"), facts, out)
        self.assertIn("backward", {one[0] for one in facts}, out)


if __name__ == "__main__":
    unittest.main()
