import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { lengthRank } from './length.ts';

/** The longest files first, so that at the end no core waits for a file that was begun last. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = new Map(files.map((file) => [file, lengthRank(file.moduleId)]));
    const usual = await super.sort(files);
    return usual.sort((a, b) => ranks.get(a)! - ranks.get(b)!);
  }
}
