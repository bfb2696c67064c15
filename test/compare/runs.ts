import { MiB } from '../../src/base/bytes.ts';
import { SECOND_NS } from '../../src/base/time.ts';
import { RecordingBuilder } from '../../src/model/builder.ts';
import type { NamedRecording } from '../../src/model/recording.ts';
import { openRuns } from '../../src/open/runs.ts';
import { addRow } from '../support/rows.ts';

export const H200 = 'test/fixtures/formats/nvidia-smi/h200';

/** The five convolution methods of the kept VGG-19 comparison. */
export const variants = async (): Promise<readonly NamedRecording[]> =>
  (await openRuns([H200])).runs;

/** A run of GPUs as one draws it: MiB each second, by card. */
export function gpuRun(
  name: string,
  cards: Readonly<Record<number, readonly number[]>>,
): NamedRecording {
  const builder = new RecordingBuilder({ id: name, name });
  const seconds = Math.max(...Object.values(cards).map((values) => values.length));
  for (let second = 0; second < seconds; second++) {
    for (const [gpu, values] of Object.entries(cards)) {
      if (second < values.length) {
        const now = { time: second * SECOND_NS, gpu: Number(gpu) };
        addRow(builder, 'gpu', { ...now, used: values[second]! * MiB });
      }
    }
  }
  return { name, recording: builder.build() };
}
