import { spawnSync } from 'node:child_process';
import type { Availability } from '../../../../model/run.ts';
import type { GpuBackend } from '../../backend.ts';
import { cardsHeldOpen, cudaVisible } from '../workload.ts';
import { findProgram } from './program.ts';
import { SmiReader } from './reader.ts';
import { parseRow, queryArguments } from './row.ts';

/** NVIDIA's own program, where its library cannot be used: one child for the whole run. */
export const nvidiaSmi = {
  id: 'nvidia-smi',
  title: 'GPU memory (the program nvidia-smi)',
  name: 'nvidia-smi',
  means: 'nvidia-smi',
  locate: () => findProgram(),
  probe: probeSmi,
  open: (program, session) => SmiReader.open(program, session),
  visible: cudaVisible,
  heldOpen: cardsHeldOpen,
} as const satisfies GpuBackend;

function probeSmi(): Availability {
  const found = findProgram();
  if ('reason' in found) return { ok: false, reason: found.reason };
  const options = { encoding: 'utf8', timeout: 20_000 } as const;
  const { stdout, error } = spawnSync(found.path, queryArguments(0, false), options);
  if (error) return { ok: false, reason: `${found.path} cannot be run: ${error.message}` };
  const rows = stdout.split('\n').flatMap((line) => parseRow(line, false) ?? []);
  if (rows.length === 0) return { ok: false, reason: `${found.path} shows no GPU` };
  const cards = rows.map(({ index, name }) => `GPU ${index} ${name}`).join(', ');
  return { ok: true, detail: `driver ${rows[0]!.driver}: ${cards}` };
}
