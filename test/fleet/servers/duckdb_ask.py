"""Questions to a folder of Parquet files: `python duckdb_ask.py FOLDER < statements.json`, rows as JSON for each."""

import datetime
import json
import os
import sys

import duckdb

os.chdir(sys.argv[1])
connection = duckdb.connect()
connection.execute("SET TimeZone = 'UTC'")
connection.execute(open("views.sql", encoding="utf8").read())


def plain(value):
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value if value is None or isinstance(value, (bool, int, float, str)) else float(value)


def rows(statement):
    # Moments as text: without a further package DuckDB hands out none with a time zone.
    asked = connection.sql(statement)
    named = [
        f'strftime("{name}", \'%Y-%m-%d %H:%M:%S\') AS "{name}"' if "TIMESTAMP" in str(kind) else f'"{name}"'
        for name, kind in zip(asked.columns, asked.types)
    ]
    found = connection.sql(f"SELECT {', '.join(named)} FROM ({statement.strip().rstrip(';')})")
    return [dict(zip(found.columns, map(plain, row))) for row in found.fetchall()]


json.dump([rows(one) for one in json.load(sys.stdin)], sys.stdout)
