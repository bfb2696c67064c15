import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { filled } from '../../src/model/verdict.ts';
import { openInput } from '../../src/open/open.ts';
import { leakSentence } from '../../src/views/report/leak.ts';

const STEPS = 'test/fixtures/snapshots/training/steps';
/** A run of which the host was sampled, and which ran out on its card for another reason. */
const RUN = 'test/fixtures/gpu-gauntlet/neighbour.hwz';

const beside = async (name: string) =>
  report(await openInput(RUN), [await openInput(`${STEPS}/${name}.pickle.gz`)]);

describe('a card whose live memory grows in each step of a trace', () => {
  it('is the leak of the run, though the host tells nothing', async () => {
    const { leak, ...rest } = await beside('large');
    expect(leak).toMatchObject({ verdict: 'leak', kind: 'tensors' });
    expect(leak.culprit).toMatchObject({ measure: 'device', series: 'gpu0.requested' });
    const sentence = leakSentence({ leak, ...rest });
    expect(sentence).toMatch(
      /^Leak: live memory grows by 16\.\d MiB a step over \d+ steps on the device \(gpu0\.requested\)\.$/,
    );
    expect(filled(rest.verdict, rest.verdict.cause.sentence)).not.toContain('leaks undefined');
  });

  it('and one whose live memory stays the same leaves the word to the host', async () => {
    const alone = report(await openInput(RUN));
    const { leak } = await beside('late_once');
    expect(leak).toEqual(alone.leak);
  });
});
