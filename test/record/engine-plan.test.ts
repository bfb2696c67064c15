import { describe, expect, it } from 'vitest';
import { highwater, place } from '../support/recorder.ts';

const LINES = [
  'INFO 12:00:00 [engine] plan: weights 104857600 bytes (100.00 MiB)',
  'INFO 12:00:00 [engine] plan: kv_pool 67108864 bytes (64.00 MiB)',
  'INFO 12:00:00 [engine] plan: scratch 1.5 GiB',
  'INFO 12:00:01 [engine] stats: running 3, waiting 5, KV pool 37.5 % used, 120.1 tokens/s',
];

describe('what an engine prints while it is recorded', () => {
  it('is its plan in the report, against what its process held', async () => {
    const script = `const b = Buffer.alloc(2 ** 27, 1); ${LINES.map((line) => `console.log(${JSON.stringify(line)});`).join('')} setTimeout(() => b[0], 700)`;
    const out = place('engine.hw');
    await highwater(['record', '-q', '-o', out, '--', process.execPath, '-e', script]);
    const { stdout } = await highwater(['report', out, '--json']);
    const { engines, notes } = JSON.parse(String(stdout)).plan;
    const [plan] = engines;
    expect(notes).toEqual([
      expect.stringMatching(
        /^the example engine: line 3 may plan memory in words .* was passed over/,
      ),
    ]);
    expect(plan).toMatchObject({ engine: 'example-engine', cardBytes: 171_966_464, load: 1 });
    expect(plan.pool).toMatchObject({ highestShare: 0.375, mostRunning: 3, from: ['log'] });
    expect(plan.measured).toMatchObject({ place: 'host', who: 'only one' });
    const { stdout: text } = await highwater(['report', out]);
    expect(String(text)).toMatch(/Plan of the example engine/);
    expect(String(text)).toMatch(/Planned 164 MiB.*KV pool was never seen above 38 %/);
  });
});
