import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { AgentCounters } from '../../src/sources/agent/kinds/counters.ts';
import type { AgentLayers } from '../../src/sources/agent/kinds/layers.ts';
import type { AgentMark } from '../../src/sources/agent/kinds/mark.ts';
import { parseMessage } from '../../src/sources/agent/protocol.ts';
import { AgentSocket } from '../../src/sources/agent/socket.ts';

const GOLDEN = readFileSync('test/fixtures/agent/messages.ndjson', 'utf8').trimEnd().split('\n');

describe('the agent protocol', () => {
  it.each(GOLDEN)('reads the golden message %s without loss', (line) => {
    expect(parseMessage(line)).toEqual(JSON.parse(line));
  });

  it.each([
    ['', 'not JSON'],
    ['null', 'not an object'],
    ['{"type":"exec"}', 'unknown type "exec"'],
    ['{"type":"mark","kind":"note","name":"x"}', 'mark without time'],
    ['{"type":"mark","time":1,"kind":"start"}', 'mark of unknown kind'],
    ['{"type":"mark","time":1e999,"kind":"note"}', 'mark without time'],
    ['{"type":"layers","rows":[]}', 'layers without time'],
    ['{"type":"layers","time":1}', 'layers without rows'],
    ['{"type":"layers","time":1,"rows":{"a":1}}', 'layers without rows'],
    ['{"type":"hello"}', 'hello without version or pid'],
  ])('says what is wrong with %s', (line, wrong) => {
    expect(parseMessage(line)).toMatchObject({ wrong });
  });

  it('cuts texts that are too long and ignores fields of a wrong type', () => {
    const line = JSON.stringify({
      type: 'mark',
      time: 5,
      kind: 'note',
      name: 'x'.repeat(5000),
      value: 'much',
    });
    expect(parseMessage(line)).toMatchObject({ name: 'x'.repeat(1000), value: null });
  });
});

describe('rows of layers', () => {
  const read = (rows: string) =>
    parseMessage(`{"type":"layers","time":1,"epoch":"x","iteration":1,"rows":${rows}}`);

  it.each([
    ['[1,2,3]'],
    ['[["a","weight"]]'],
    ['[["a","weight",1,2]]'],
    ['[["a","weight",-1]]'],
    ['[["a","weight",1e999]]'],
    ['[["a","weight","8"]]'],
    ['[[7,"weight",8]]'],
    ['[["a","We ight",8]]'],
    [`[["a","${'k'.repeat(41)}",8]]`],
    ['[null]'],
  ])('refuses %s, and counts what it refused', (rows) => {
    const { length } = JSON.parse(rows) as unknown[];
    expect(read(rows)).toMatchObject({ epoch: null, rows: [], refused: length });
  });

  it('takes no more than 5,000, with names of 500 characters', () => {
    const row = JSON.stringify(['n'.repeat(900), 'weight', 1]);
    const message = read(`[${Array(100_000).fill(row).join(',')}]`) as AgentLayers;
    expect(message.rows.length).toBe(5000);
    expect(message.refused).toBe(95_000);
    expect(message.rows[0]![0]).toBe('n'.repeat(500));
  });
});

describe('counters', () => {
  const read = (values: string) => parseMessage(`{"type":"counters","time":1,"values":${values}}`);

  it.each([
    '{"allocated":1}',
    '{"Torch0.allocated":1}',
    '{"a.b":-1}',
    '{"a.b":null}',
    '{"a.b":1e999}',
    `{"a.${'b'.repeat(61)}":1}`,
  ])('refuses %s, and counts what it refused', (values) => {
    expect(read(values)).toEqual({ type: 'counters', time: 1, values: {}, refused: 1 });
  });

  it('takes no more than 200 of them', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`a.b${n}`, n]));
    expect(read(JSON.stringify(many))).toMatchObject({ refused: 800 });
  });

  it.each(['null', '5', '"x"'])('says what is wrong with %s', (values) => {
    expect(read(values)).toEqual({ wrong: 'counters without values' });
  });
});

describe('the agent socket', () => {
  const listen = async (send: (path: string) => Promise<void>) => {
    const marks: [AgentMark, number][] = [];
    const layers: [AgentLayers, number][] = [];
    const counters: [AgentCounters, number][] = [];
    const warnings: string[] = [];
    const socket = await AgentSocket.open({
      onMessage: (message, pid) => {
        if (message.type === 'mark') marks.push([message, pid]);
        if (message.type === 'layers') layers.push([message, pid]);
        if (message.type === 'counters') counters.push([message, pid]);
      },
      onWarning: (text) => warnings.push(text),
    });
    await send(socket.path);
    await socket.close();
    return { marks, layers, counters, warnings };
  };
  const write = (path: string, ...parts: string[]) =>
    new Promise<void>((resolve, reject) => {
      const connection = createConnection(path, async () => {
        for (const part of parts) {
          connection.write(part);
          await new Promise((next) => setTimeout(next, 5));
        }
        connection.end(resolve);
      });
      connection.on('error', reject);
    });

  it('puts messages together that come in pieces', async () => {
    const text = `${GOLDEN.join('\n')}\n`;
    const { marks, layers, counters, warnings } = await listen((path) =>
      write(path, text.slice(0, 100), text.slice(100, 101), text.slice(101)),
    );
    expect(marks.map(([mark]) => mark.kind)).toEqual([
      'epoch',
      'iteration',
      'phase',
      'note',
      'step',
    ]);
    expect(counters.map(([{ values }, pid]) => [values['torch0.allocated'], pid])).toEqual([
      [67108864, 4242],
    ]);
    expect(marks.every(([, pid]) => pid === 4242)).toBe(true);
    expect(layers.map(([{ iteration }, pid]) => [iteration, pid])).toEqual([
      [1, 4242],
      [2, 4242],
      [3, 4242],
    ]);
    expect(warnings).toEqual([
      'agent in process 4242: queue full',
      'the agent in process 4242 dropped 3 messages: it had too many at once',
    ]);
  });

  it('cuts off a line that has no end, and says so', async () => {
    const { layers, warnings } = await listen((path) =>
      write(path, `${GOLDEN[0]}\n`, `{"type":"layers","rows":["${'x'.repeat(2 << 20)}`).catch(
        () => {},
      ),
    );
    expect(layers).toEqual([]);
    expect(warnings).toEqual(['the agent in process 4242 is cut off: a line has no end']);
  });

  it('stands garbage', async () => {
    const { marks, warnings } = await listen((path) => write(path, '\0\xff{\n[1,2]\n'));
    expect(marks).toEqual([]);
    expect(warnings).toHaveLength(2);
  });

  it('is open to its owner alone', async () => {
    await listen(async (path) => {
      const { status, stdout } = spawnSync(
        'stat',
        ['-c', '%a', path, `${path}/..`.replace('/s/..', '')],
        {
          encoding: 'utf8',
        },
      );
      expect([status, stdout]).toEqual([0, '600\n700\n']);
    });
  });
});
