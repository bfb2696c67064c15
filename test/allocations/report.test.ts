import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { report } from '../../src/analyses/report.ts';
import { openInput } from '../../src/open/open.ts';
import { reportMarkdown } from '../../src/views/report/markdown.ts';
import { reportText } from '../../src/views/report/text.ts';
import { TRAINING } from './ground-truth.ts';

const reportOf = async (name: string) =>
  report(await openInput(join(TRAINING, `${name}.pickle.gz`)));

describe('the report on a snapshot', () => {
  it('answers in its first line', async () => {
    const [first] = reportText(await reportOf('conv_momentum')).split('\n');
    expect(first).toBe(
      'Peak 713 MiB requested on GPU 0 in the backward pass of step 3: ' +
        '69 % activations, 18 % temporary, 9 % workspaces.',
    );
  });

  it('says first that memory ran out', async () => {
    const text = reportText(await reportOf('oom_batch'));
    expect(text).toMatch(
      /^Out of memory on GPU 0 in the forward pass of step 3: 781 MiB asked for/,
    );
    expect(text).toContain('would free');
    expect(text).toContain('set_per_process_memory_fraction');
  });

  it('says nothing of samples that nobody took', async () => {
    const text = reportText(await reportOf('mlp_sgd'));
    expect(text).not.toContain('was sampled');
    expect(text).toContain('Who made it (GPU 0)');
  });

  it('is a page too', async () => {
    const page = reportMarkdown(await reportOf('gpt_leak'));
    expect(page).toContain('### Live at the peak of GPU 0');
    expect(page).toContain('| activations |');
    expect(page).toContain('grow by 68.1 MiB a step');
  });

  it('tells what the trace cannot know', async () => {
    const { trust, warnings } = await reportOf('gpt_overflowed_noframes');
    const [doubt] = trust.allocations;
    expect(doubt).toMatchObject({ device: 0, unmatchedFrees: 0, withoutStack: { share: 1 } });
    expect(doubt!.beforeTraceBytes).toBeGreaterThan(0);
    expect(warnings.join('\n')).toMatch(/was there before the trace began/);
    expect(warnings.join('\n')).toMatch(/have no stack: record with context="all"/);
  });
});
