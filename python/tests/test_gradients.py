"""Gradients are asked for in the program's main thread, whoever looks: torch crashes where another thread asks for one that is being changed."""

import threading
import time
import unittest
from unittest import mock

import beside  # noqa: F401
from needs import needs_torch, run

from highwater._inside import gradients
from highwater._memory import Looks

MiB = 1 << 20

TRAINING = """
import threading, time
import torch
from highwater._memory import Looks

model = torch.nn.Sequential(*(torch.nn.Linear(400, 400) for _ in range(4)))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
told, over = [], threading.Event()

def look():
    looks = Looks(lambda now, rows: told.append(rows))
    while not over.is_set():
        looks._next = 0
        looks.rows(time.monotonic_ns())

looker = threading.Thread(target=look)
looker.start()
until = time.monotonic() + 6
while time.monotonic() < until:
    optimizer.zero_grad()
    model(torch.ones(8, 400)).square().mean().backward()
    optimizer.step()
over.set()
looker.join()
print(len(told))
"""


@needs_torch
class Gradients(unittest.TestCase):
    def train(self, torch):
        model = torch.nn.Linear(1024, 512, bias=False)
        model(torch.ones(4, 1024)).sum().backward()
        return model

    def test_a_look_aside_has_them_from_the_main_thread(self):
        import torch

        model = self.train(torch)
        told, threads, first = [], set(), []
        ask = gradients._gradient_or_none

        def noted(tensor):
            threads.add(threading.get_ident())
            return ask(tensor)

        with mock.patch.object(gradients, "_gradient_or_none", noted):
            looker = threading.Thread(target=lambda: first.append(Looks(lambda now, rows: told.append((now, rows))).rows(7)))
            looker.start()
            looker.join()
            until = time.monotonic() + 10
            while not told and time.monotonic() < until:
                time.sleep(0.001)
        self.assertEqual(threads, {threading.get_ident()})
        self.assertIn(["parameter", "float32", "", 1, 2 * MiB, 0], first[0])
        self.assertNotIn("gradient", [row[0] for row in first[0]])
        self.assertEqual(told, [(7, [["gradient", "float32", "", 1, 2 * MiB, 0]])])
        del model

    def test_one_that_has_a_name_is_told_once(self):
        import torch

        model = self.train(torch)
        named = model.weight.grad
        told = []
        first = []
        looker = threading.Thread(target=lambda: first.append(Looks(lambda now, rows: told.append(rows)).rows(7)))
        looker.start()
        looker.join()
        time.sleep(0.1)
        self.assertEqual([row[0] for row in first[0] if row[4] == named.nbytes], ["parameter", "tensor"])
        self.assertEqual(told, [])

    def test_not_while_another_thread_computes_them(self):
        import torch

        model = self.train(torch)
        told, computes, looked = [], threading.Event(), threading.Event()

        def hook(_):
            computes.set()
            looked.wait(20)

        def train():
            made = model(torch.ones(4, 1024))
            made.register_hook(hook)
            made.sum().backward()

        trainer = threading.Thread(target=train)
        trainer.start()
        computes.wait(20)
        looker = threading.Thread(target=lambda: Looks(lambda now, rows: told.append(rows)).rows(7))
        looker.start()
        looker.join()
        time.sleep(0.1)
        looked.set()
        trainer.join()
        self.assertEqual(told, [])

    def test_a_training_that_is_looked_at_all_the_time_goes_on(self):
        code, told, errors = run(TRAINING)
        self.assertEqual((code, errors), (0, ""))
        self.assertGreater(int(told), 0)


if __name__ == "__main__":
    unittest.main()
