import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { replay } from '../../../src/analyses/allocations/replay/replay.ts';
import type { ReplayOptions } from '../../../src/analyses/allocations/replay/replayed.ts';
import { whatIfBeside } from '../../../src/analyses/allocations/what-if/beside.ts';
import { whatIf } from '../../../src/analyses/allocations/what-if/index.ts';
import type { WhatIfQuestion } from '../../../src/analyses/allocations/what-if/question.ts';
import { GiB } from '../../../src/base/bytes.ts';
import { openInput } from '../../../src/open/open.ts';
import { SNAPSHOTS } from './programs.ts';

const FILES = [
  'what-if/streams.pickle.gz',
  'training/gpt_oom.pickle.gz',
  'training/gpt_overflowed.pickle.gz',
];
const PLAIN: WhatIfQuestion = {
  ...{ sets: null, limits: [], card: null, contextBytes: null },
  ...{ beside: null, smallest: false, device: null },
};
const QUESTIONS: readonly WhatIfQuestion[] = [
  PLAIN,
  { ...PLAIN, smallest: true },
  { ...PLAIN, sets: ['expandable_segments:True', 'garbage_collection_threshold:0.6'] },
  { ...PLAIN, sets: ['default'], limits: [GiB, 2 * GiB] },
];

describe('a setting that is replayed elsewhere', () => {
  it.each(FILES)('changes nothing in what is said of %s', async (name) => {
    const recording = await openInput(join(SNAPSHOTS, name));
    for (const question of QUESTIONS) {
      const sent: ReplayOptions[] = [];
      const answer = await whatIfBeside(recording, question, (program) => ({
        replay: async (options) => {
          sent.push(options);
          return replay(program, options);
        },
      }));
      expect(answer).toEqual(whatIf(recording, question));
      expect(sent.length).toBeLessThanOrEqual(1);
      if (question.sets === null) expect(sent[0]?.conf.expandableSegments).toBe(true);
    }
  });

  it('says what went wrong there', async () => {
    const recording = await openInput(join(SNAPSHOTS, FILES[0]!));
    const answer = whatIfBeside(recording, PLAIN, () => ({
      replay: () => Promise.reject(new Error('no thread to be had')),
    }));
    await expect(answer).rejects.toThrow('no thread to be had');
  });
});
