import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runSamples, type Sample, samplesOf } from '../../src/metrics/samples.ts';
import { credentialsFrom } from '../../src/metrics/send/credentials.ts';
import { exposeAddress } from '../../src/metrics/send/expose.ts';
import { type Patience, Sender, type Sent } from '../../src/metrics/send/sender.ts';
import { targetOf } from '../../src/metrics/send/target.ts';
import { lossLine, problemLine } from '../../src/metrics/send/words.ts';
import { place } from '../support/recorder.ts';
import { decodeRemoteWrite1, decodeRemoteWrite2 } from './support/decoded.ts';
import { accept, answer, refuse2, startReceiver } from './support/receiver.ts';

const FACTS = {
  labels: { job: 'j', host: 'h', run: 'r' },
  info: {},
  startedAtMs: 1_795_000_000_000,
  uuids: {},
  foreignProcesses: false,
  groupLimit: null,
  requested: null,
};
const QUICK: Patience = { queued: 10_000, firstMs: 5, mostMs: 40, answerMs: 10_000 };

/** Four values at each of so many moments. */
const moment = (at: number): Sample[] =>
  samplesOf(
    {
      endNs: at * 1e9,
      points: [{ metric: 'treeRss', labels: {}, last: at, peak: at + 0.5 }],
    },
    FACTS,
  );

async function pushed(
  url: string,
  moments: number,
  patience: Partial<Patience> = {},
  finishMs = 5000,
  env: Record<string, string> = {},
): Promise<{ sent: Sent; problems: string[] }> {
  const problems: string[] = [];
  const sender = new Sender(targetOf(url), credentialsFrom(env), (one) => problems.push(one), {
    ...QUICK,
    ...patience,
  });
  for (let at = 0; at < moments; at++) sender.add(moment(at));
  return { sent: await sender.finish(finishMs), problems };
}

describe('a sender', () => {
  it('sends everything, as 1.0 to a server that refuses 2.0', async () => {
    const receiver = await startReceiver();
    const { sent, problems } = await pushed(receiver.url, 50);
    expect(sent).toEqual({
      sent: 200,
      refused: 0,
      overflowed: 0,
      left: 0,
      unknown: 0,
      problem: null,
    });
    expect(receiver.taken).toHaveLength(200);
    expect(problems).toEqual([]);
    expect(lossLine('host', sent)).toBeNull();
  });

  it('sends all again as 1.0 where a server takes 2.0 and does not say that it wrote it', async () => {
    const receiver = await startReceiver(accept);
    expect((await pushed(receiver.url, 5)).sent.sent).toBe(20);
    expect(receiver.taken).toHaveLength(20);
  });

  it('goes on with 2.0 where a server says that it wrote it', async () => {
    const receiver = await startReceiver((request, response) => {
      const { length } = decodeRemoteWrite2(request.body);
      response.writeHead(204, { 'X-Prometheus-Remote-Write-Samples-Written': length }).end();
      return true;
    });
    expect((await pushed(receiver.url, 5)).sent.sent).toBe(20);
    const read = receiver.requests.flatMap(({ body }) => decodeRemoteWrite2(body));
    expect(read).toHaveLength(20);
  });

  it.each([
    ['429', answer(429, { 'retry-after': '0' })],
    ['500', answer(500, {}, 'overloaded\nstack')],
    ['503', answer(503)],
    ['401', answer(401)],
    [
      'a connection that closes in the middle of the answer',
      (_request: unknown, response: import('node:http').ServerResponse) => {
        response.writeHead(200, { 'content-length': 100 });
        response.flushHeaders();
        response.destroy();
        return false;
      },
    ],
  ] as const)('keeps everything while the answer is %s', async (_name, behaviour) => {
    const receiver = await startReceiver(refuse2);
    let failures = 4;
    receiver.behave((request, response) =>
      failures-- > 0 ? behaviour(request, response) : refuse2(request, response),
    );
    const { sent, problems } = await pushed(receiver.url, 30);
    expect(sent).toMatchObject({ sent: 120, refused: 0, left: 0 });
    expect(new Set(receiver.taken.map(({ timeMs, name }) => `${timeMs} ${name}`)).size).toBe(120);
    expect(problems).toHaveLength(1);
  });

  it('keeps everything while the server is down', async () => {
    const first = await startReceiver();
    const { port } = new URL(first.url);
    await first.close();
    const sender = new Sender(targetOf(first.url), {}, () => {}, QUICK);
    for (let at = 0; at < 40; at++) sender.add(moment(at));
    await expect.poll(() => sender.waiting).toBe(160);
    const back = await startReceiver(refuse2, undefined, Number(port));
    await expect.poll(() => back.taken.length).toBe(160);
    expect((await sender.finish(1000)).sent).toBe(160);
  });

  it('drops only what is refused, and counts it', async () => {
    const receiver = await startReceiver((request, response) => {
      const isBad =
        request.body.includes('bad') ||
        request.headers['x-prometheus-remote-write-version'] === '2.0.0';
      response.writeHead(isBad ? 400 : 204).end(isBad ? 'out of bounds' : '');
      return !isBad;
    });
    const sender = new Sender(targetOf(receiver.url), {}, () => {}, QUICK);
    const bad = runSamples({ ...FACTS, info: { name: 'bad' } }, 5);
    for (const chunk of [moment(1), moment(2), bad, moment(3), moment(4)]) sender.add(chunk);
    const sent = await sender.finish(5000);
    expect(sent).toMatchObject({ sent: 16, refused: 2, left: 0 });
    expect(receiver.taken).toHaveLength(16);
    expect(lossLine('host/write', sent)).toBe(
      '2 of 18 values did not reach host/write: 2 refused; HTTP 400: out of bounds (the server takes no samples that old: Prometheus needs storage.tsdb.out_of_order_time_window, VictoriaMetrics a longer -retentionPeriod)',
    );
  });

  // Whatever it has it refuses, in the words of Prometheus 2.42 and 3.5 (test/fleet/push.test.ts asks them).
  it.each([
    ['never', () => new Promise<boolean>(() => {})],
    ['with 504, by a gateway', answer(504)],
    [
      'with half an answer',
      (_request: unknown, response: import('node:http').ServerResponse) => {
        response.writeHead(200, { 'content-length': 100 });
        response.flushHeaders();
        response.destroy();
        return false;
      },
    ],
  ] as const)(
    'does not say that what was taken is lost where it is answered %s',
    async (_, late) => {
      const stored = new Map<string, number>();
      let isLate = true;
      const receiver = await startReceiver((request, response) => {
        if (request.headers['x-prometheus-remote-write-version'] === '2.0.0') {
          return refuse2(request, response);
        }
        const samples = decodeRemoteWrite1(request.body);
        const refused = samples.some(({ name, timeMs }) => timeMs < (stored.get(name) ?? 0));
        if (refused) return answer(400, {}, 'out of order sample\n')(request, response);
        for (const { name, timeMs } of samples) stored.set(name, timeMs);
        if (!isLate) return accept(request, response);
        isLate = false;
        return late(request, response);
      });
      const { sent } = await pushed(receiver.url, 5, { answerMs: 1000 });
      // The newest is the one that it takes twice.
      expect(sent).toMatchObject({ sent: 4, refused: 0, left: 0, unknown: 16 });
      expect(lossLine('s', sent)).toMatch(
        /^16 of 20 values may not have reached s: sent, but no answer in time said that they were taken; HTTP 400: out of order sample/,
      );
    },
  );

  it('counts what a server of 2.0 says that it wrote of a request that it refused in part', async () => {
    let requests = 0;
    const receiver = await startReceiver((request, response) => {
      const { length } = decodeRemoteWrite2(request.body);
      const isPart = requests++ === 1;
      const written = isPart ? length - 3 : length;
      response.writeHead(isPart ? 400 : 204, {
        'X-Prometheus-Remote-Write-Samples-Written': written,
      });
      response.end(isPart ? 'out of order sample for series {}' : '');
      return true;
    });
    const { sent } = await pushed(receiver.url, 6);
    // None of them is sent again: the others would be refused as known.
    expect(sent).toMatchObject({ sent: 21, refused: 3, left: 0, unknown: 0 });
    expect(lossLine('s', { ...sent, unknown: 8 })).toMatch(
      /^3 of 32 values did not reach s: 3 refused; of 8 more it is not known: sent, but no answer in time said that they were taken; HTTP 400/,
    );
  });

  it('what never left is lost, and what a server may have is not, when too many wait', async () => {
    const receiver = await startReceiver(refuse2);
    receiver.behave(() => new Promise<boolean>(() => {}));
    const { sent } = await pushed(receiver.url, 100, { queued: 40 }, 300);
    // The first moment went alone, and stayed until it was known what became of it.
    expect(sent).toMatchObject({ sent: 0, unknown: 4, overflowed: 360, left: 36 });
  });

  it('makes requests smaller until they are small enough', async () => {
    const receiver = await startReceiver((request, response) => {
      const is2 = request.headers['x-prometheus-remote-write-version'] === '2.0.0';
      const status = is2 ? 415 : request.body.length > 150 ? 413 : 204;
      response.writeHead(status).end();
      return status === 204;
    });
    const { sent } = await pushed(receiver.url, 20);
    expect(sent).toMatchObject({ sent: 80, refused: 0 });
    expect(receiver.taken).toHaveLength(80);
  });

  it('lets the oldest go when too many wait, and counts them', async () => {
    const receiver = await startReceiver(answer(500));
    const { sent } = await pushed(receiver.url, 100, { queued: 40 }, 100);
    expect(sent).toMatchObject({ sent: 0, overflowed: 360, left: 40 });
    expect(lossLine('s', { ...sent, overflowed: 0 }, 'as it took nothing for 30 s')).toMatch(
      /^40 of 40 values did not reach s: 40 not sent as it took nothing for 30 s; HTTP 500/,
    );
    expect(lossLine('s', sent)).toMatch(
      /^400 of 400 values did not reach s: 360 let go as too many waited, 40 not sent when the run ended; HTTP 500/,
    );
  });

  it('ends when it is told to, whatever the server does', async () => {
    const receiver = await startReceiver(() => new Promise<boolean>(() => {}));
    const before = performance.now();
    const { sent } = await pushed(receiver.url, 3, {}, 300);
    // It may have taken the first moment, which went alone: it has said nothing.
    expect(sent).toMatchObject({ sent: 0, left: 8, unknown: 4 });
    expect(lossLine('s', sent)).toBe(
      '8 of 12 values did not reach s: 8 not sent when the run ended; of 4 more it is not known: sent, but no answer in time said that they were taken',
    );
    // The request itself would be given up after 10 s.
    expect(performance.now() - before).toBeLessThan(9000);
  });

  it('shows who it is, by a token or a password in a file, which may be renewed', async () => {
    const receiver = await startReceiver();
    const file = place('token');
    writeFileSync(file, 'first-token\n');
    const sender = new Sender(
      targetOf(receiver.url),
      credentialsFrom({ HIGHWATER_PUSH_TOKEN_FILE: file }),
    );
    sender.add(moment(1));
    await expect.poll(() => receiver.taken.length).toBe(4);
    writeFileSync(file, 'second-token\n');
    sender.add(moment(2));
    await sender.finish(2000);
    const shown = receiver.requests.map(({ headers }) => headers.authorization);
    expect([...new Set(shown)]).toEqual(['Bearer first-token', 'Bearer second-token']);
    await pushed(receiver.url, 1, {}, 2000, {
      HIGHWATER_PUSH_USER: 'me',
      HIGHWATER_PUSH_PASSWORD: 'pass:word',
    });
    expect(receiver.requests.at(-1)!.headers.authorization).toBe(
      `Basic ${Buffer.from('me:pass:word').toString('base64')}`,
    );
  });

  it('trusts a certificate that it is told to trust, and no other', async () => {
    const [key, cert] = [place('key.pem'), place('cert.pem')];
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert],
        ...['-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'],
      ],
      { stdio: 'ignore' },
    );
    const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
    const receiver = await startReceiver(refuse2, tls);
    const stranger = await pushed(receiver.url, 1, {}, 300);
    expect(stranger.sent.left).toBe(4);
    expect(problemLine('s', stranger.problems[0]!)).toMatch(/HIGHWATER_PUSH_CA_FILE/);
    const known = await pushed(receiver.url, 1, {}, 5000, { HIGHWATER_PUSH_CA_FILE: cert });
    expect(known.sent.sent).toBe(4);
  });
});

describe('where metrics go', () => {
  it.each([
    ['http://host:9090', 'http://host:9090/api/v1/write', 'remote-write'],
    ['http://host:9090/api/v1/write', 'http://host:9090/api/v1/write', 'remote-write'],
    ['https://host/v1/metrics', 'https://host/v1/metrics', 'otlp'],
    ['http://host:9090/api/v1/otlp', 'http://host:9090/api/v1/otlp/v1/metrics', 'otlp'],
    ['http://vm:8428/opentelemetry/', 'http://vm:8428/opentelemetry/v1/metrics', 'otlp'],
  ])('%s is %s by %s', (text, url, protocol) => {
    expect(targetOf(text)).toMatchObject({ url, protocol });
  });

  it('a URL with a password is refused, without the password in the message', () => {
    expect(() => targetOf('https://me:hunter2@host/api/v1/write')).toThrow(
      /would be in the list of processes/,
    );
    expect(() => targetOf('host:9090')).toThrow(/cannot be pushed/);
    expect(() => targetOf('clickhouse://h')).toThrow(/cannot be pushed/);
    expect(targetOf('https://host/write?token=abcdef123456').shown).toBe('host/write');
  });

  it('a token and a user, or a user without a password, are refused', () => {
    const both = { HIGHWATER_PUSH_TOKEN: 'x', HIGHWATER_PUSH_USER: 'u' };
    expect(() => credentialsFrom(both)).toThrow(/both a token and a user/);
    expect(() => credentialsFrom({ HIGHWATER_PUSH_USER: 'u' })).toThrow(/needs a password/);
    expect(() => credentialsFrom({ HIGHWATER_PUSH_TOKEN_FILE: '/none' })).toThrow(
      /HIGHWATER_PUSH_TOKEN_FILE: no such file/,
    );
  });

  it('a port alone is for this machine', () => {
    expect(exposeAddress(':9400')).toEqual({ host: '127.0.0.1', port: 9400 });
    expect(exposeAddress('9400')).toEqual({ host: '127.0.0.1', port: 9400 });
    expect(exposeAddress('0.0.0.0:9400')).toEqual({ host: '0.0.0.0', port: 9400 });
    expect(exposeAddress('[::1]:9400')).toEqual({ host: '::1', port: 9400 });
    expect(() => exposeAddress('here')).toThrow(/no place to be asked at/);
  });
});
