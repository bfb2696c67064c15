"""Arrays of numpy, torch and pyarrow: their data once for each storage, however many look at it."""

import json
import sys
import types
import unittest

from needs import needs_torch, run, torch

from highwater import heap, memuse


@needs_torch
class Numpy(unittest.TestCase):
    def setUp(self):
        import numpy

        self.np = numpy

    def test_an_array_is_its_object_and_its_data(self):
        made = self.np.zeros(1001)
        sized = memuse.asized(made)
        self.assertEqual(sized.size, (sys.getsizeof(made) + 7) // 8 * 8)
        self.assertEqual(sized.arrays, made.nbytes)

    def test_views_share_their_data(self):
        made = self.np.arange(10_000, dtype="f8")
        views = [made, made[5:], made.reshape(100, 100).T, made[::2], made.view("i8")]
        self.assertEqual(memuse.n_bytes(views), made.nbytes)
        # A small part of a large array keeps all of it.
        self.assertEqual(memuse.n_bytes([made[:10]]), made.nbytes)

    def test_a_buffer_of_python_under_an_array(self):
        data = bytearray(80_000)
        made = self.np.frombuffer(data, dtype="f8")
        self.assertLess(abs(memuse.n_bytes([made, data]) - 80_000), 100)

    def test_arrays_of_objects(self):
        part = self.np.zeros(500)
        made = self.np.array([part, {"held": part}, None], dtype=object)
        self.assertEqual(memuse.n_bytes([made]), part.nbytes + made.nbytes)

    def test_connections_count_each_time(self):
        weights = self.np.ones((10, 20))
        sheets = [{"weights": weights}, {"weights": weights}]
        self.assertEqual(memuse.n_conns(sheets), 400)
        self.assertEqual(memuse.n_bytes(sheets), weights.nbytes)
        mask = self.np.zeros((10, 20))
        mask[0] = 1
        self.assertEqual(memuse.n_conns([{"weights": weights, "mask": mask}]), 20)

        class Sheet:
            def __init__(self):
                self.weights, self.mask = weights, mask

        self.assertEqual(memuse.n_conns([Sheet(), Sheet()]), 40)


@needs_torch
class Torch(unittest.TestCase):
    def test_views_share_their_storage(self):
        made = torch.zeros(100, 100)
        held = [made, made[0], made.T, made.view(-1), made.untyped_storage()]
        self.assertEqual(memuse.n_bytes(held), 40_000)

    def test_numpy_over_a_tensor_and_the_other_way_round(self):
        made = torch.zeros(1000)
        self.assertEqual(memuse.n_bytes([made, made.numpy()]), 4000)
        other = made.numpy().copy()
        self.assertEqual(memuse.n_bytes([torch.from_numpy(other), other[1:]]), 4000)

    def test_gradients_are_held_by_their_parameters(self):
        layer = torch.nn.Linear(10, 10, bias=False)
        before = memuse.n_bytes(layer)
        layer(torch.ones(1, 10)).sum().backward()
        self.assertEqual((before, memuse.n_bytes(layer)), (400, 800))

    def test_tied_weights(self):
        model = torch.nn.Sequential(torch.nn.Linear(8, 8, bias=False), torch.nn.Linear(8, 8, bias=False))
        model[1].weight = model[0].weight
        self.assertEqual(memuse.n_conns(model), 128)
        self.assertEqual(memuse.n_bytes(model), 256)

    def test_meta_and_sparse_tensors(self):
        self.assertEqual(memuse.n_bytes([torch.empty(1000, device="meta")]), 0)
        sparse = torch.eye(10).to_sparse()
        self.assertEqual(memuse.n_bytes([sparse]), 10 * 2 * 8 + 10 * 4)


@needs_torch
class Accounting(unittest.TestCase):
    """Explained within 10 % of the process, or the rest is named."""

    def sizes(self, script):
        head, tail = "import json\nfrom highwater import memuse\n", "\nprint(json.dumps(memuse.allsizes()))"
        code, out, errors = run(head + script + tail)
        self.assertEqual(code, 0, errors)
        return json.loads(out)

    def test_a_simulation_of_numpy(self):
        sizes = self.sizes(
            "import numpy\n"
            "rand = numpy.random.rand\n"
            "sheets = [{'activity': rand(100, 100), 'weights': rand(300, 300)} for _ in range(60)]"
        )
        self.assertEqual(sizes["root"], "the program's variables")
        self.assertEqual(sizes["wtsize"], 60 * (10_000 + 90_000) * 8)
        self.assertEqual(sizes["connections"], 60 * 100_000)
        self.covered(sizes)

    def test_a_model_of_torch(self):
        sizes = self.sizes(
            "import torch\n"
            "torch.set_num_threads(1)\n"
            "model = torch.nn.Sequential(*[torch.nn.Linear(1000, 1000) for _ in range(8)])\n"
            "optimizer = torch.optim.Adam(model.parameters())\n"
            "model(torch.ones(4, 1000)).sum().backward()\n"
            "optimizer.step()"
        )
        self.assertEqual(sizes["root"], "Sequential")
        self.assertEqual(sizes["connections"], 8 * 1_001_000)
        # Weights, gradients and two moments; Adam also keeps a count for each parameter.
        self.assertAlmostEqual(sizes["wtsize"], 4 * 8 * 1_001_000 * 4, delta=1000)
        self.covered(sizes)

    def covered(self, sizes):
        named = sum(size for what, size in sizes["rest"] if not what.startswith("libraries'"))
        self.assertGreater((sizes["explained"] + named) / sizes["topsize"], 0.9, sizes)
        self.assertLess(sizes["explained"] / sizes["topsize"], 1.1, sizes)


class Buffer:
    is_cpu = True

    def __init__(self, address, size):
        self.address, self.size = address, size


class Array:
    def __init__(self, *buffers):
        self.buffers = lambda: [None, *buffers]


class ChunkedArray:
    def __init__(self, *chunks):
        self.chunks = chunks


class Table:
    def __init__(self, *columns):
        self.columns = columns


class Arrow(unittest.TestCase):
    """With stand-ins that answer as pyarrow's classes do, which the tests cannot count on."""

    def setUp(self):
        kinds = {kind.__name__: kind for kind in (Buffer, Array, ChunkedArray, Table)}
        pyarrow = types.ModuleType("pyarrow")
        vars(pyarrow).update(kinds)
        real = sys.modules.get("pyarrow")
        sys.modules["pyarrow"] = pyarrow
        self.addCleanup(sys.modules.update if real else sys.modules.pop, {"pyarrow": real} if real else "pyarrow")
        self.array = Array(Buffer(1 << 40, 8_000_000))
        words = Array(Buffer(2 << 40, 1_000_000))
        words.dictionary = Array(Buffer(3 << 40, 500_000))
        self.table = Table(ChunkedArray(self.array, Array(Buffer(1 << 40, 8_000_000))), ChunkedArray(words))

    def test_a_table_and_what_is_made_of_it_share_their_data(self):
        column = ChunkedArray(self.array)
        self.assertEqual(memuse.n_bytes([self.table]), 9_500_000)
        self.assertEqual(memuse.n_bytes([self.table, column, self.array, *self.array.buffers()]), 9_500_000)

    def test_a_heap_has_them_once(self):
        found = [one for one in heap().nodes if type(one).__name__ == "Storage" and one.library == "pyarrow"]
        self.assertEqual(sorted(one.bytes for one in found), [500_000, 1_000_000, 8_000_000])


if __name__ == "__main__":
    unittest.main()
