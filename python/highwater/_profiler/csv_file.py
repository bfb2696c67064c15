"""The CSV beside the table: first the columns of the original, in whole MB, then ours, in bytes."""

import csv
import datetime
import os

from .table import megabytes

FOLDER = "memory_csv_data"


class CsvFile:
    """Made when the first line comes. Its columns stay, whatever becomes of the model."""

    def __init__(self):
        self.path = None
        self._names = None
        self._texts = {}  # kind → rows, and the cells made of them: most stay as they are

    def write(self, snapshot):
        if self.path is None:
            self._names = {kind: list(rows) for kind, rows in snapshot.rows.items()}
            self.path = _new_file(FOLDER)
            self._append([name for names, _ in self._cells(snapshot) for name in names])
        self._append([cell for _, cells in self._cells(snapshot) for cell in cells])

    def _append(self, cells):
        # Opened each time: what is written stays, also when the training is killed.
        with open(self.path, "a", newline="", encoding="utf8") as file:
            csv.writer(file, lineterminator="\n").writerow(cells)

    def _cells(self, snapshot):
        """(columns, values) in order; an empty value is not measured."""
        figures = snapshot.totals()

        def whole(*names):
            return names, [_or_empty(figures[name], megabytes) for name in names]

        yield ("epoch", "iteration"), (snapshot.epoch, snapshot.iteration)
        yield whole("peak_cached", "current_cached", "total_feature_map_usage", "total_weight_usage")
        yield self._rows(snapshot, "weight", "", megabytes)
        yield whole("total_layer_weight_gradient_usage")
        yield self._rows(snapshot, "gradient", "_grad", megabytes)
        yield whole("intermediate_gradients")
        yield [name + "_bytes" for name in figures], [_or_empty(size) for size in figures.values()]
        yield ("peak_at",), (snapshot.peak.where(),)
        yield ("detail_epoch", "detail_iteration"), (snapshot.detail_epoch, snapshot.detail_iteration)
        yield self._rows(snapshot, "buffer", "_buffer_bytes")
        yield self._rows(snapshot, "optimizer", "_state_bytes")
        yield self._rows(snapshot, "feature_map", "_feature_map_bytes")

    def _rows(self, snapshot, kind, suffix, unit=None):
        rows = snapshot.rows[kind]
        known = self._texts.get(kind)
        if known is not None and known[0] == rows:
            return known[1]
        names = self._names[kind]
        made = [name + suffix for name in names], [_or_empty(rows.get(name), unit) for name in names]
        self._texts[kind] = (rows, made)
        return made


def _or_empty(size, unit=None):
    return "" if size is None else unit(size) if unit else size


def _new_file(folder):
    """Named by the second; several processes may start in the same."""
    os.makedirs(folder, exist_ok=True)
    stamp = datetime.datetime.now().strftime("%Y%m%d%H%M%S")
    number = 1
    while True:
        path = os.path.join(folder, stamp + ("" if number == 1 else "-%d" % number) + ".csv")
        try:
            open(path, "x").close()
            return path
        except FileExistsError:
            number += 1
