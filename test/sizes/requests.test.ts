import { readFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { socketOf } from '../../src/sources/agent/ask.ts';
import type { AgentSizes } from '../../src/sources/agent/kinds/sizes.ts';
import { parseMessage } from '../../src/sources/agent/protocol.ts';
import { AgentSocket } from '../../src/sources/agent/socket.ts';

const GOLDEN = readFileSync('test/fixtures/agent/requests.ndjson', 'utf8').trimEnd().split('\n');
const [HELLO, ASK, REQUEST, ANSWER] = GOLDEN as [string, string, string, string];

describe('messages about requests', () => {
  it.each(GOLDEN.filter((line) => line !== REQUEST))('reads %s without loss', (line) => {
    expect(parseMessage(line)).toEqual(JSON.parse(line));
  });

  it.each([
    ['{"type":"ask","what":"sizes"}', 'ask without pid or what'],
    ['{"type":"ask","pid":1,"what":"../x"}', 'ask without pid or what'],
    ['{"type":"answer","what":"sizes"}', 'answer without id'],
    ['{"type":"sizes","at":"exit"}', 'sizes without time'],
    ['{"type":"sizes","time":1}', 'sizes without a moment'],
  ])('says what is wrong with %s', (line, wrong) => {
    expect(parseMessage(line)).toEqual({ wrong });
  });
});

describe('requests through the recorder', () => {
  const open: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  const listen = async (onSizes?: (sizes: AgentSizes, pid: number) => void) => {
    const socket = await AgentSocket.open({
      onMessage: (message, pid) => {
        if (message.type === 'sizes') onSizes?.(message, pid);
      },
      onWarning: () => {},
    });
    open.push(() => socket.close());
    return socket.path;
  };
  const connect = (path: string) =>
    new Promise<Socket>((resolve, reject) => {
      const connection = createConnection(path, () => resolve(connection)).setEncoding('utf8');
      connection.on('error', reject);
      open.unshift(() => void connection.destroy());
    });
  const line = (connection: Socket) =>
    new Promise<string>((resolve) => connection.once('data', (text) => resolve(String(text))));
  const said = async (path: string, text: string) => {
    const asker = await connect(path);
    const heard = line(asker);
    asker.write(`${text}\n`);
    return JSON.parse(await heard) as Record<string, unknown>;
  };
  /** An agent that has said hello and was heard. */
  const agent = async (path: string) => {
    const connection = await connect(path);
    connection.write(`${HELLO}\n`);
    while ('error' in (await said(path, ASK.replace('sizes', 'whoami')))) await null;
    return connection;
  };

  it('passes a question on to the process that it is for, and the answer back', async () => {
    const path = await listen();
    const speaker = await agent(path);
    const request = line(speaker);
    const answer = said(path, ASK);
    const { id, ...rest } = JSON.parse(await request) as { id: number };
    expect({ ...rest, id: 7 }).toEqual(JSON.parse(REQUEST));
    speaker.write(`${ANSWER.replace('"id":7', `"id":${id}`)}\n`);
    const { id: _, ...told } = JSON.parse(ANSWER) as { id: number };
    expect(await answer).toEqual(told);
  });

  it('says at once where nobody can answer, and asks nothing', async () => {
    const path = await listen();
    expect(await said(path, ASK)).toMatchObject({ error: 'no agent speaks in process 4242' });
    await agent(path);
    expect(await said(path, ASK.replace('sizes', 'coffee'))).toMatchObject({
      error: "the agent in process 4242 does not answer to 'coffee'",
    });
    expect(await said(path, ASK.replace('sizes', 'whoami'))).toMatchObject({
      value: { language: 'python', program: 'train.py', answers: ['sizes', 'heap'] },
    });
  });

  it('tells the asker when the process ends first, and believes no other process', async () => {
    const path = await listen();
    const speaker = await agent(path);
    const other = await connect(path);
    const request = line(speaker);
    const answer = said(path, ASK);
    const { id } = JSON.parse(await request) as { id: number };
    other.write(`${ANSWER.replace('"id":7', `"id":${id}`)}\n`);
    await new Promise((next) => setTimeout(next, 50));
    speaker.destroy();
    expect(await answer).toMatchObject({ error: 'the process ended before it answered' });
  });

  it('hears sizes that are told unasked', async () => {
    const told: [string, number][] = [];
    const path = await listen(({ at }, pid) => told.push([at, pid]));
    const connection = await connect(path);
    connection.end(`${HELLO}\n${GOLDEN.at(-1)}\n`);
    while (told.length === 0) await new Promise((next) => setTimeout(next, 5));
    expect(told).toEqual([['iteration 5', 4242]]);
  });

  it('finds no socket of a process that has none', () => {
    expect(socketOf(2 ** 30)).toBeNull();
  });
});
