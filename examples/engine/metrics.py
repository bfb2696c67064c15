"""What Prometheus asks an engine, under the names that vLLM has, on the loopback only."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

METRICS = (
    ("vllm:kv_cache_usage_perc", "gauge", "Share of the KV pool that is in use; 1 is all of it.", lambda engine: engine.cache.usage),
    ("vllm:num_requests_running", "gauge", "Requests that run.", lambda engine: len(engine.scheduler.running)),
    ("vllm:num_requests_waiting", "gauge", "Requests that wait.", lambda engine: len(engine.scheduler.waiting)),
    ("vllm:num_preemptions_total", "counter", "Requests that gave their blocks back.", lambda engine: engine.scheduler.preemptions),
    ("vllm:prompt_tokens_total", "counter", "Tokens of prompts that were computed.", lambda engine: engine.prompt_tokens),
    ("vllm:generation_tokens_total", "counter", "Tokens of answers.", lambda engine: engine.answer_tokens),
)


def text(engine):
    lines = []
    for name, kind, says, read in METRICS:
        lines += ["# HELP %s %s" % (name, says), "# TYPE %s %s" % (name, kind), '%s{engine="0",model_name="example"} %s' % (name, float(read(engine)))]
    return "\n".join(lines) + "\n"


def serve_metrics(engine, port):
    """In a thread that ends with the program. Returns the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            known = self.path.split("?")[0] == "/metrics"
            body = text(engine).encode() if known else b"only /metrics is here\n"
            self.send_response(200 if known else 404)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True, name="metrics").start()
    return server.server_port
