"""ClickHouse behind HTTP, as far as tests need it: chdb is ClickHouse's engine in a process, without its server.

    python chdb_server.py PORT FOLDER

A statement comes as `?query=` with data as the body, or as the body; `param_NAME` are its parameters. An error is the
server's own text with its number in a header. With CHDB_USER and CHDB_PASSWORD in the environment, others are refused.
"""

import os
import re
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb.session import Session

PORT, FOLDER = int(sys.argv[1]), sys.argv[2]
SESSION = Session(os.path.join(FOLDER, "data"))
USER = (os.environ.get("CHDB_USER"), os.environ.get("CHDB_PASSWORD"))
INSERT = re.compile(r"^\s*INSERT\s.*\sFORMAT\s+(\w+)\s*$", re.IGNORECASE | re.DOTALL)
FORMAT = re.compile(r"\sFORMAT\s+(\w+)\s*;?\s*$", re.IGNORECASE)
INPUT = re.compile(r"\binput\('((?:[^'\\]|\\.)*)'\)")


def run(statement, parameters, body):
    insert = INSERT.match(statement)
    if insert:
        return inserted(statement, insert.group(1), body)
    form = FORMAT.search(statement)
    plain = FORMAT.sub("", statement)
    return SESSION.query(plain, form.group(1) if form else "TSV", params=parameters or None).bytes()


def inserted(statement, form, body):
    """chdb has no body to read from: `input()` becomes a file with the same bytes and the same structure."""
    path = os.path.join(FOLDER, "body")
    with open(path, "wb") as file:
        file.write(body)
    plain = FORMAT.sub("", statement)
    if not INPUT.search(plain):
        plain = f"{plain} SELECT * FROM input('auto')"
    source = INPUT.sub(lambda found: f"file('{path}', '{form}', '{found.group(1)}')", plain, count=1)
    SESSION.query(source)
    return b""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(200, b"Ok.\n")

    def do_POST(self):
        body = self.body()
        named = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        parameters = {key[6:]: value for key, value in named.items() if key.startswith("param_")}
        if USER[0] and (self.headers.get("X-ClickHouse-User"), self.headers.get("X-ClickHouse-Key")) != USER:
            name = self.headers.get("X-ClickHouse-User") or "default"
            said = f"Code: 516. DB::Exception: {name}: Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)"
            return self.answer(403, said.encode(), "516")
        statement = named.get("query")
        try:
            if statement is None:
                result = run(body.decode(), parameters, b"")
            else:
                result = run(statement, parameters, body)
        except Exception as error:  # whatever the engine says goes back, as a server does it
            code = re.search(r"Code: (\d+)", str(error))
            return self.answer(500, str(error).encode(), code.group(1) if code else "0")
        return self.answer(200, result)

    def body(self):
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        pieces = []
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            piece = self.rfile.read(size)
            if len(piece) < size:
                raise ConnectionError("cut off in the middle")
            self.rfile.readline()
            if size == 0:
                return b"".join(pieces)
            pieces.append(piece)

    def answer(self, status, body, code=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if code is not None:
            self.send_header("X-ClickHouse-Exception-Code", code)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, form, *args):
        print(form % args, flush=True)


HTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
