import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { highwater, open, place, recorded } from '../support/recorder.ts';

const AGENTS = 64;
const MARKS = 10;

/** So many agents at once, each with its marks, and one that sends what nobody understands. */
const CROWD = `
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
const path = process.env.HIGHWATER_SOCKET;
const opened = () => new Promise((done, fail) => {
  const socket = connect(path, () => done(socket)).on('error', fail);
});
const garbage = await opened();
garbage.on('error', () => {});
const noise = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => (i * 7919) % 256));
garbage.write('{"type":"mark","time":"never"}\\n{"type":\\nnull\\n[[[[\\n');
garbage.write(noise);
const agents = await Promise.all(Array.from({ length: ${AGENTS} }, opened));
const now = () => Number(process.hrtime.bigint());
const say = (socket, message) => socket.write(JSON.stringify(message) + '\\n');
agents.forEach((socket, rank) =>
  say(socket, { type: 'hello', version: 1, pid: process.pid, language: 'test', rank: null }));
for (let i = 0; i < ${MARKS}; i++) {
  agents.forEach((socket, n) => say(socket, { type: 'mark', time: now(), kind: 'note', name: 'agent ' + n + ' says ' + i }));
  await sleep(20);
}
for (const socket of agents) socket.end(JSON.stringify({ type: 'bye', dropped: 0 }) + '\\n');
garbage.destroy();
await sleep(300);
`;

function script(name: string, text: string): string {
  const path = place(name);
  writeFileSync(path, text);
  return path;
}

/** What notes a recording has. */
function notes(folder: string): string[] {
  const recording = open(folder);
  const marks = recording.table('marks');
  const [kinds, names] = [marks.u32('kind'), marks.u32('name')];
  const text = (id: number) => recording.text(id);
  return [...names].filter((_, row) => text(kinds[row]!) === 'note').map(text);
}

describe('agents', () => {
  it(`${AGENTS} at once, one of them sending garbage: nothing of the others is lost`, async () => {
    const { code, folder, stderr } = await recorded(
      [],
      [process.execPath, script('crowd.mjs', CROWD)],
    );
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('    at ')]);
    const said = new Set(notes(folder));
    for (let agent = 0; agent < AGENTS; agent++) {
      for (let i = 0; i < MARKS; i++) expect(said).toContain(`agent ${agent} says ${i}`);
    }
    expect(open(folder).damage).toEqual([]);
    expect((await highwater(['report', folder])).code).toBe(0);
  });

  it('whose socket is removed midway harm neither the command nor the recording', async () => {
    const text = `
      import { rmSync } from 'node:fs';
      import { dirname } from 'node:path';
      rmSync(dirname(process.env.HIGHWATER_SOCKET), { recursive: true });
      setTimeout(() => process.exit(6), 500);`;
    const { code, folder } = await recorded([], [process.execPath, script('rude.mjs', text)]);
    expect(code).toBe(6);
    const recording = open(folder);
    expect(recording.damage).toEqual([]);
    expect(recording.run.exit?.code).toBe(6);
    expect(recording.table('process').rows).toBeGreaterThan(5);
  });
});
