import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { StringPool } from '../../src/model/strings.ts';
import { TableBuffer } from '../../src/model/table.ts';
import { addAgentRows } from '../../src/sources/agent/agent-rows.ts';
import { isRowMessage, KINDS } from '../../src/sources/agent/kinds/index.ts';
import { parseMessage } from '../../src/sources/agent/protocol.ts';
import { agentTargets } from '../fuzz/agent-targets.ts';

const DOCUMENT = readFileSync('docs/agent-protocol.md', 'utf8');
const TYPES = KINDS.map(({ type }) => type);

/** Types with a row of their own in the first table, or an example among the requests. */
const table = DOCUMENT.slice(DOCUMENT.indexOf('| type | fields |')).split('\n\n')[0]!;
const typesIn = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, type]) => type!);
const described = new Set([
  ...typesIn(table, /^\| `(\w+)` \|/gm),
  ...typesIn(DOCUMENT, /^ {4}\{"type":"(\w+)"/gm),
]);

const seeds = agentTargets()
  .find(({ id }) => id === 'agent-messages')!
  .seeds.flatMap((files) => [...files.values()].map((bytes) => new TextDecoder().decode(bytes)));

describe('the kinds of agent messages', () => {
  it('have a name of their own each', () => {
    expect(new Set(TYPES).size).toBe(TYPES.length);
  });

  it('are described in docs/agent-protocol.md, and no other is', () => {
    // A request goes the other way.
    expect([...described].filter((type) => type !== 'request').sort()).toEqual(TYPES.toSorted());
  });

  it.each(TYPES)('%s: the fuzzer has a seed', (type) => {
    expect(seeds.map((line) => JSON.parse(line).type)).toContain(type);
  });

  it('say in docs/agent-protocol.md how many rows a message may have', () => {
    for (const kind of KINDS) {
      const most = 'limits' in kind ? kind.limits.perMessage : 1;
      if (most === 1) continue;
      const number = most.toLocaleString('en-US');
      const places = DOCUMENT.split(/\n(?=## |\| `)/).filter((part) =>
        part.toLowerCase().slice(0, 20).includes(kind.type),
      );
      expect(
        places.some((part) => new RegExp(`\\b${number}\\b`).test(part)),
        kind.type,
      ).toBe(true);
    }
  });

  it.each(KINDS.flatMap((kind) => ('table' in kind ? [kind] : [])))(
    '$type: its rows have the columns of its table',
    (kind) => {
      const messages = seeds.map(parseMessage).flatMap((one) => ('wrong' in one ? [] : [one]));
      const own = messages.filter(isRowMessage).filter(({ type }) => type === kind.type);
      const strings = new StringPool();
      const intern = (text: string) => strings.intern(text);
      for (const message of own) {
        const buffer = new TableBuffer(kind.table);
        const received = { message, time: 5, pid: 4242, rank: 3 };
        addAgentRows({ table: () => buffer, intern }, received);
        const rows = kind.rows(received as never, intern);
        expect(buffer.rows).toBe(rows.length);
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows) expect(row.length).toBe(kind.table.columns.length);
        for (const [name, value] of [
          ['time', 5],
          ['pid', 4242],
          ['rank', 3],
        ] as const) {
          const column = kind.table.columns.findIndex((one) => one.name === name);
          expect(rows[0]![column]).toBe(value);
        }
      }
      expect(own.length).toBeGreaterThan(0);
    },
  );
});
