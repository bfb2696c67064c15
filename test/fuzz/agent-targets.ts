import { readFileSync } from 'node:fs';
import { TableBuffer } from '../../src/model/table.ts';
import { CounterIntake } from '../../src/record/agents/counter-intake.ts';
import { LayerIntake } from '../../src/record/agents/layer-intake.ts';
import { MarkIntake } from '../../src/record/agents/mark-intake.ts';
import { RowIntake } from '../../src/record/agents/row-intake.ts';
import { readAgentLines } from '../../src/sources/agent/agent-lines.ts';
import { addAgentRows, addMark } from '../../src/sources/agent/agent-rows.ts';
import type { RowMessage } from '../../src/sources/agent/kinds/index.ts';
import type { Received } from '../../src/sources/agent/kinds/kind.ts';
import { parseMessage } from '../../src/sources/agent/protocol.ts';
import { mutate } from './mutate.ts';
import { editedValue } from './mutate-json.ts';
import { type Files, isRead, pick, type Target } from './target.ts';
import { use } from './use.ts';
import { otherNumber, otherText, type Random } from './values.ts';

/** Messages of agents: as they reach a recorder, and as they lie in a file where there was none. */
export function agentTargets(): Target[] {
  const golden = ['messages', 'requests'].flatMap((name) =>
    readFileSync(`test/fixtures/agent/${name}.ndjson`, 'utf8').trim().split('\n'),
  );
  const [hello] = golden;
  const lines = (random: Random) =>
    Array.from({ length: 1 + Math.floor(random() * 8) }, () =>
      message(pick(random, golden), random),
    );
  return [
    {
      id: 'agent-messages',
      seeds: golden.map((line) => asFile(line)),
      mutant: (random) => asFile(lines(random).join('\n')),
      attempt: async (files) => ({ read: takenIn(textOf(files)), behind: null }),
    },
    {
      id: 'agent-lines',
      seeds: [asFile(golden.join('\n'))],
      mutant: (random) => asFile([hello, ...lines(random)].join('\n')),
      async attempt(files, random) {
        const read = await isRead(async () =>
          use(readAgentLines('job', [{ name: FILE, lines: textOf(files).split('\n') }]), random),
        );
        return { read, behind: null };
      },
    },
  ];
}

const FILE = 'agent.ndjson';
const asFile = (text: string): Files => new Map([[FILE, new TextEncoder().encode(text)]]);
const textOf = (files: Files) => new TextDecoder().decode(files.get(FILE));

/** A message of the grammar with other values and rows; or one that breaks it somewhere; or noise. */
function message(line: string, random: Random): string {
  const roll = random();
  if (roll < 0.1) {
    return Buffer.from(mutate(Buffer.from(line), random, Buffer.from(line))).toString('utf8');
  }
  const fields = withOtherValues(JSON.parse(line), random) as object;
  const said = roll < 0.5 ? fields : editedValue(fields, random);
  return (JSON.stringify(said) ?? 'null').replaceAll('null', () =>
    random() < 0.1 ? '1e999' : 'null',
  );
}

/** Every leaf may become another of its type, and every list longer; keys and types stay. */
function withOtherValues(value: unknown, random: Random, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withOtherValues(item, random));
    return random() < 0.1 ? [...items, ...items, ...items] : items;
  }
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, withOtherValues(item, random, name)]),
    );
  }
  if (key === 'type' || random() < 0.8) return value;
  if (typeof value === 'number') return otherNumber(random, value);
  return typeof value === 'string' ? otherText(random, value) : value;
}

/** Each line is a message and makes its rows, or is said why it is none: nothing may be thrown at a recorder. */
function takenIn(text: string): boolean {
  const tables = new Map<string, TableBuffer>();
  const sink = {
    table: (spec: ConstructorParameters<typeof TableBuffer>[0]) => {
      const found = tables.get(spec.name) ?? new TableBuffer(spec);
      tables.set(spec.name, found);
      return found;
    },
    intern: (said: string) => said.length,
  };
  const onRows = (received: Received<RowMessage>) => addAgentRows(sink, received);
  const events = { onRows, onWarning() {} };
  const origin: [number, number] = [0, 0];
  const marks = new MarkIntake(origin, {
    onMark: (mark) => addMark(sink, mark),
    onIteration() {},
    onOutOfMemory() {},
  });
  const layers = new LayerIntake(origin, 1e9, events);
  const counters = new CounterIntake(origin, 1e9, events);
  const rows = new RowIntake(origin, 1e9, onRows);
  let all = true;
  for (const line of text.split('\n')) {
    const said = parseMessage(line);
    if ('wrong' in said) all = false;
    else if (said.type === 'mark') marks.addAgent(said, 1, null);
    else if (said.type === 'layers') layers.add(said, 1, null);
    else if (said.type === 'counters') counters.add(said, 1, 0);
    else if (said.type === 'tensors' || said.type === 'objects' || said.type === 'held')
      rows.add(said, 1, null);
  }
  return all;
}
