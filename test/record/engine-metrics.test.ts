import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { metricsSample } from '../../src/formats/log-lines/index.ts';
import type { ServingSample } from '../../src/model/engine-plan.ts';
import { EngineMetrics } from '../../src/record/log/engine-metrics.ts';
import { listensAt } from '../../src/sources/listening.ts';
import { needs, python } from '../support/programs.ts';
import { highwater, open, place, recorded, until } from '../support/recorder.ts';

/** As vLLM 0.8 answers (V1), without its histograms; from a public issue, model names shortened. */
const VLLM_08 = `# HELP process_open_fds Number of open file descriptors.
# TYPE process_open_fds gauge
process_open_fds 45.0
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{model_name="Qwen/Qwen2.5-Coder-32B-Instruct"} 8.0
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{model_name="Qwen/Qwen2.5-Coder-32B-Instruct"} 3.0
# HELP vllm:gpu_cache_usage_perc GPU KV-cache usage. 1 means 100 percent usage.
# TYPE vllm:gpu_cache_usage_perc gauge
vllm:gpu_cache_usage_perc{model_name="Qwen/Qwen2.5-Coder-32B-Instruct"} 0.3812
`;

/** As vLLM 0.10 does, with two engines behind one port (data parallel). */
const VLLM_010 = `# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="zai-org/GLM-4.5"} 2.0
vllm:num_requests_running{engine="1",model_name="zai-org/GLM-4.5"} 5.0
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="zai-org/GLM-4.5"} 0.0
vllm:num_requests_waiting{engine="1",model_name="zai-org/GLM-4.5"} 1.0
# HELP vllm:gpu_cache_usage_perc GPU KV-cache usage. DEPRECATED: Use vllm:kv_cache_usage_perc instead.
vllm:gpu_cache_usage_perc{engine="0",model_name="zai-org/GLM-4.5"} 0.9
# HELP vllm:kv_cache_usage_perc KV-cache usage. 1 means 100 percent usage.
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="zai-org/GLM-4.5"} 9.75010481363281e-06
vllm:kv_cache_usage_perc{engine="1",model_name="zai-org/GLM-4.5"} 0.25
# TYPE vllm:num_preemptions_total counter
vllm:num_preemptions_total{engine="0",model_name="zai-org/GLM-4.5"} 4.0
vllm:num_preemptions_total{engine="1",model_name="zai-org/GLM-4.5"} 2.0
# TYPE vllm:num_preemptions_created gauge
vllm:num_preemptions_created{engine="0",model_name="zai-org/GLM-4.5"} 1.7537953269352946e+09
`;

/** As llama.cpp's server did until May 2025; later it tells no use of its pool. */
const LLAMA = `# HELP llamacpp:prompt_tokens_total Number of prompt tokens processed.
# TYPE llamacpp:prompt_tokens_total counter
llamacpp:prompt_tokens_total 143
# HELP llamacpp:kv_cache_usage_ratio KV-cache usage. 1 means 100 percent usage.
# TYPE llamacpp:kv_cache_usage_ratio gauge
llamacpp:kv_cache_usage_ratio 0.0625
# HELP llamacpp:requests_processing Number of requests processing.
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 1
# HELP llamacpp:requests_deferred Number of requests deferred.
# TYPE llamacpp:requests_deferred gauge
llamacpp:requests_deferred 2
`;

describe("an engine's /metrics", () => {
  it('are read by the names that its versions have', () => {
    expect(metricsSample(VLLM_08)).toEqual({
      ...{ kvUsed: 0.3812, running: 8, waiting: 3, preemptions: Number.NaN },
    });
    expect(metricsSample(VLLM_010)).toEqual({
      ...{ kvUsed: 0.25, running: 7, waiting: 1, preemptions: 6 },
    });
    expect(metricsSample(LLAMA)).toMatchObject({ kvUsed: 0.0625, running: 1, waiting: 2 });
    expect(metricsSample(LLAMA.replace(/.*kv_cache.*\n/g, ''))).toMatchObject({
      kvUsed: Number.NaN,
      running: 1,
    });
  });

  it('that say nothing of it are none, and no share is above one', () => {
    expect(metricsSample('')).toBeNull();
    expect(metricsSample('process_open_fds 45.0\n<html>vllm:</html>\n')).toBeNull();
    expect(metricsSample('vllm:num_requests_running{model="} 5\n')).toBeNull();
    expect(metricsSample('vllm:num_requests_running{model="a} 1 {"} NaN\n')).toBeNull();
    expect(metricsSample('vllm:num_requests_running{model="a} 1 {"} 5\n')?.running).toBe(5);
    expect(metricsSample('vllm:kv_cache_usage_perc 38\n')).toBeNull();
    expect(metricsSample('vllm:kv_cache_usage_perc{a="b"} 1.0 1700000000000\n')?.kvUsed).toBe(1);
  });
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server of this process, with all that it was asked. */
async function serving(
  answer: (path: string) => readonly [status: number, text: string, location?: string],
  host = '127.0.0.1',
) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const [status, text, location] = answer(request.url!);
    response.writeHead(status, location ? { location } : {});
    response.end(text);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return { port: (server.address() as AddressInfo).port, asked };
}

describe('engines that are asked', () => {
  it('are those at whose port a process of the workload listens', async () => {
    const { port } = await serving(() => [200, VLLM_08]);
    expect(listensAt(port, [process.pid])).toBe('127.0.0.1');
    expect(listensAt(port, [])).toBeNull();
    expect(listensAt(port, [process.ppid])).toBeNull();
    const { port: everywhere } = await serving(() => [200, ''], '0.0.0.0');
    expect(listensAt(everywhere, [process.pid])).toBe('127.0.0.1');
    const { port: elsewhere } = await serving(() => [200, ''], '127.0.0.2');
    expect(listensAt(elsewhere, [process.pid])).toBeNull();
  });

  it('are asked for /metrics alone, follow their own redirect, and are left alone when they refuse', async () => {
    const moved = await serving((path) =>
      path === '/metrics' ? [307, '', '/metrics/'] : [200, VLLM_08],
    );
    const refuses = await serving(() => [501, 'This server does not support metrics endpoint.']);
    const elsewhere = await serving(() => [302, '', 'http://example.org/']);
    const samples: ServingSample[] = [];
    const metrics = new EngineMetrics(
      () => [process.pid],
      (sample) => samples.push(sample),
      10,
    );
    for (const { port } of [moved, refuses, elsewhere]) metrics.found('vllm', port);
    await until(() => samples.length >= 6);
    metrics.stop();
    expect(samples[0]).toEqual({
      ...{ engine: 'vllm', worker: String(moved.port), from: 'metrics' },
      ...{ kvUsed: 0.3812, running: 8, waiting: 3, preemptions: Number.NaN },
    });
    expect(new Set(moved.asked)).toEqual(new Set(['GET /metrics', 'GET /metrics/']));
    expect(refuses.asked).toEqual(Array(3).fill('GET /metrics'));
    expect(elsewhere.asked).toEqual(Array(3).fill('GET /metrics'));
  });
});

/** Says where it answers, in vLLM's words, plans, and answers for seven seconds. */
const ENGINE = `
import http.server, sys, threading, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(open(sys.argv[1], "rb").read())
    def log_message(self, form, *args):
        print("asked:", form % args, flush=True)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("INFO 05-21 10:00:00 [gpu_model_runner.py:1801] Model loading took 14.9596 GiB and 9.5 seconds", flush=True)
print("INFO:     Uvicorn running on http://127.0.0.1:%d (Press CTRL+C to quit)" % server.server_port, flush=True)
time.sleep(7)
`;

describe('a recording of an engine that offers /metrics', () => {
  needs('python3')(
    'has how full its pool was, and none where that was not to be asked',
    async () => {
      const file = place('metrics.txt');
      writeFileSync(file, VLLM_08);
      const { folder, stdout } = await recorded([], [python(), '-c', ENGINE, file]);
      expect(stdout.toString()).toContain('asked: "GET /metrics HTTP/1.1" 200');
      const table = open(folder).table('serving');
      expect(table.rows).toBeGreaterThan(0);
      expect(table.f64('kv_used')[0]).toBe(0.3812);
      const told = await highwater(['report', folder, '--json']);
      const [engine] = JSON.parse(told.stdout.toString()).plan.engines;
      expect(engine.pool).toMatchObject({
        ...{ from: ['metrics'], highestShare: 0.3812, mostRunning: 8, mostWaiting: 3 },
      });
      const text = (await highwater(['report', folder])).stdout.toString();
      expect(text).toContain('its KV pool was never seen above 38 %');
      const off = await recorded(['--no-engine-metrics'], [python(), '-c', ENGINE, file]);
      expect(off.stdout.toString()).not.toContain('asked:');
      expect(open(off.folder).table('serving').rows).toBe(0);
    },
    60_000,
  );
});
