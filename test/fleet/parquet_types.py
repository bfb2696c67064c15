"""What pyarrow makes of a folder of Parquet files: types, rows and sums, as JSON."""

import json
import os
import sys

import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.dataset as dataset

os.chdir(sys.argv[1])
answer = {}
for name in sorted(one for one in os.listdir(".") if os.path.isdir(one)):
    table = dataset.dataset(name, partitioning="hive").to_table()
    answer[name] = {
        "rows": table.num_rows,
        "types": {field.name: str(field.type) for field in table.schema if field.name != "month"},
    }
    if name == "series":
        sums = {}
        for run in compute.unique(table["run"]).to_pylist():
            for series in compute.unique(table["series"]).to_pylist():
                mask = compute.and_(compute.equal(table["run"], run), compute.equal(table["series"], series))
                found = table.filter(mask)
                if found.num_rows:
                    moments = found["time"].cast(pa.int64())
                    sums[f"{run} {series}"] = [
                        str(compute.sum(found["bytes"]).as_py()),
                        found.num_rows,
                        str(compute.min(moments).as_py()),
                        str(compute.max(moments).as_py()),
                    ]
        answer[name]["sums"] = sums
json.dump(answer, sys.stdout)
