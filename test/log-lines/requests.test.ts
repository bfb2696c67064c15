import { describe, expect, test } from 'vitest';
import { LineMarker } from '../../src/formats/log-lines/index.ts';
import { requestIn } from '../../src/formats/log-lines/requests.ts';

describe('requests that a log names', () => {
  test.each([
    ['INFO:     127.0.0.1:50122 - "POST /v1/completions HTTP/1.1" 200 OK', 'answered'],
    [
      '(APIServer pid=12) INFO:     10.0.0.3:4 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
      'answered',
    ],
    ['127.0.0.1 - - [18/Nov/2026 20:00:00] "GET /predict?x=3 HTTP/1.1" 200 -', 'answered'],
    [
      '[GIN] 2026/02/03 - 10:11:12 | 200 |  1.203s |       127.0.0.1 | POST     "/api/generate"',
      'answered',
    ],
    ['srv  log_server_r: request: POST /completion 127.0.0.1 200', 'answered'],
    ['INFO 20:01:02 [engine] Finished request req-12: 20 tokens', 'finished'],
    ['INFO 20:01:02 [engine] Received request req-12: prompt 9 tokens, answer 20', 'received'],
  ])('%s', (line, form) => {
    expect(requestIn(line)).toBe(form);
  });

  test.each([
    'INFO:     127.0.0.1:50122 - "GET /metrics HTTP/1.1" 200 OK',
    'INFO:     127.0.0.1:50122 - "GET /health HTTP/1.1" 200 OK',
    'INFO:     127.0.0.1:50122 - "POST /v1/completions HTTP/1.1" 500 Internal Server Error',
    'INFO:     127.0.0.1:50122 - "GET /static/page.css HTTP/1.1" 200 OK',
    'Finished request processing in the worker',
    'pip: HTTP/1.1 connection reset',
    'DEBUG:urllib3.connectionpool:https://example.org:443 "GET /api/models/net HTTP/1.1" 200 512',
    'pull request #12 was merged',
  ])('not %s', (line) => {
    expect(requestIn(line)).toBeNull();
  });

  test('are marks that count on, each form by itself, and are thinned where there are very many', () => {
    const marker = new LineMarker();
    const said = Array.from({ length: 20_000 }, (_, i) => [
      ...marker.feed(`Received request req-${i}: prompt 9 tokens`),
      ...marker.feed(`Finished request req-${i}: 20 tokens`),
    ]).flat();
    expect(said.slice(0, 2)).toEqual([
      { kind: 'request', name: 'received', iteration: 1 },
      { kind: 'request', name: 'finished', iteration: 1 },
    ]);
    expect(said.at(-1)).toMatchObject({ kind: 'request', name: 'finished', iteration: 20_000 });
    expect(said.length).toBeLessThan(25_000);
  });
});
