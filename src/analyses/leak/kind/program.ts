import type { Recording } from '../../../model/recording.ts';
import type { Pids } from './process-sums.ts';

/** What is known of the programs that leak: advice is given in their own words. */
export interface Program {
  /** torch is in it, as its agent told, or as its data loaders are named. */
  readonly torch: boolean;
  /** It uses a card, as torch or the driver told. */
  readonly onCard: boolean;
  /** What runs it; null: neither, or it is not known. */
  readonly runtime: 'python' | 'node' | null;
}

const OF_TORCH = /^(tensors\.|torch\d+\.)/;
const OF_CARD = /^torch\d+\./;
const RUNTIMES = [
  ['python', /^python[\d.]*$/],
  ['node', /^(node|nodejs|MainThread)$/],
] as const;

export function programOf(recording: Recording, only: Pids): Program {
  const names = new Set(recording.table('counters').u32('name'));
  const told = [...names].some((name) => OF_TORCH.test(recording.text(name)));
  const table = recording.table('processes');
  const [pids, roles] = [table.u32('pid'), table.u32('role')];
  const loaders = [...roles].some((role) => /^data loader\b/.test(recording.text(role)));
  const runtimes = Array.from(pids.keys())
    .filter((row) => only === null || only.has(pids[row]!))
    .map((row) => runtimeOf(recording, row));
  const [runtime = null] = RUNTIMES.find(([name]) => runtimes.includes(name)) ?? [];
  return { torch: told || loaders, onCard: isOnCard(recording, only), runtime };
}

function isOnCard(recording: Recording, only: Pids): boolean {
  const isMeant = (pid: number) => only === null || only.has(pid);
  const counters = recording.table('counters');
  const [tellers, names] = [counters.u32('pid'), counters.u32('name')];
  const ofCards = new Set([...new Set(names)].filter((id) => OF_CARD.test(recording.text(id))));
  if (names.some((id, row) => ofCards.has(id) && isMeant(tellers[row]!))) return true;
  const own = new Set([...recording.table('processes').u32('pid')].filter(isMeant));
  const listed = recording.table('gpu_process');
  const used = listed.f64('used');
  return listed.u32('pid').some((pid, row) => own.has(pid) && used[row]! > 0);
}

/** What runs the process of a row of `processes`. */
export function runtimeOf(recording: Recording, row: number): Program['runtime'] {
  const table = recording.table('processes');
  const [argvs, comms] = [table.u32('argv'), table.u32('name')];
  const names = [fileOf(recording.text(argvs[row]!)), recording.text(comms[row]!)];
  const [runtime = null] = RUNTIMES.find(([, name]) => names.some((one) => name.test(one))) ?? [];
  return runtime;
}

/** `/usr/bin/python3 serve.py` is run by `python3`. */
const fileOf = (argv: string) => argv.split(' ')[0]!.split('/').at(-1)!;
