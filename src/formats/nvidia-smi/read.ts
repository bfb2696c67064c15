import { FormatError } from '../../base/errors.ts';
import { count } from '../../base/text.ts';
import { RecordingBuilder } from '../../model/builder.ts';
import type { Recording } from '../../model/recording.ts';
import type { Input } from '../input.ts';
import { assignGpus } from './gpus.ts';
import { type Log, type Row, readRows } from './rows.ts';
import { rowTimes } from './times.ts';

export function readNvidiaSmi(input: Input): Recording {
  const builder = new RecordingBuilder({ id: `nvidia-smi:${input.name}`, name: input.name });
  const log = readRows(input);
  const used = log.rows.map(({ amounts }) => usedOf(amounts));
  checkUsed(input, log, used, builder);
  for (const warning of log.warnings) builder.warn(warning);
  const { gpuOf, warning } = assignGpus(log, input.hints);
  if (warning) builder.warn(warning);
  const times = rowTimes(input, log.rows, gpuOf, builder.run);
  const table = builder.table('gpu');
  const totals = new Map<number, number>();
  for (const [i, { amounts }] of log.rows.entries()) {
    const { reserved, free, total } = amounts;
    const gpu = gpuOf[i]!;
    table.push([times[i]!, gpu, used[i]!, reserved, free, total]);
    totals.set(gpu, Math.max(totals.get(gpu) ?? 0, total || 0));
  }
  const cards = new Map([...log.cards].map(([, card], i) => [card.index ?? i, card]));
  builder.run.gpus = [...totals.keys()]
    .sort((a, b) => a - b)
    .map((index) => ({
      index,
      uuid: cards.get(index)?.uuid ?? '',
      name: cards.get(index)?.name ?? '',
      memoryBytes: totals.get(index)!,
    }));
  return builder.build();
}

/** As nvidia-smi computes it, where it was not asked for it itself. */
function usedOf({ used, total, free, reserved }: Row['amounts']): number {
  return Number.isNaN(used) ? total - free - (reserved || 0) : used;
}

function checkUsed(input: Input, log: Log, used: readonly number[], builder: RecordingBuilder) {
  const missing = used.filter(Number.isNaN).length;
  if (missing === used.length) {
    throw new FormatError(`${input.name} has no figure of memory in use`, {
      hint: 'log it with --query-gpu=timestamp,index,memory.used',
    });
  }
  if (missing > 0) {
    builder.warn(`${count(missing, 'row')} of ${used.length} had no figure (N/A or an error)`);
  }
  const derived = log.rows.find(
    ({ amounts }, i) => Number.isNaN(amounts.used) && !Number.isNaN(used[i]!),
  );
  if (derived) {
    const with_ = Number.isNaN(derived.amounts.reserved)
      ? ', what the driver reserves included'
      : '';
    builder.warn(`memory in use is total less free${with_}`);
  }
}
