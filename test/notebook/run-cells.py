"""Runs cells in a real kernel: a JSON list of their texts comes in, one of what each showed goes out."""

import json
import sys

import nbformat
from nbclient import NotebookClient

cells = [nbformat.v4.new_code_cell(text) for text in json.load(sys.stdin)]
notebook = nbformat.v4.new_notebook(cells=cells)
NotebookClient(notebook, allow_errors=True, kernel_name="python3", timeout=120).execute()


def shown(cell):
    found = {"text": "", "html": "", "error": ""}
    for output in cell.outputs:
        if output.output_type == "error":
            found["error"] += output.ename + ": " + output.evalue + "\n" + "\n".join(output.traceback)
        elif output.output_type == "stream":
            found["text"] += output.text
        else:
            found["text"] += output.data.get("text/plain", "") + "\n"
            found["html"] += output.data.get("text/html", "")
    return found


json.dump([shown(cell) for cell in cells], sys.stdout)
