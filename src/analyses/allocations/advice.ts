import { MiB } from '../../base/bytes.ts';
import type { Summary } from '../../model/allocations/curve.ts';
import type { DeviceTrace } from '../../model/allocations/trace.ts';
import type { Recording } from '../../model/recording.ts';
import { recordedProgram } from './failure/recorded-program.ts';
import { type AllocatorConf, confText, parseConf, recordedConf } from './replay/conf.ts';
import type { Program } from './replay/program.ts';
import type { RecordedRun } from './replay/recorded-run.ts';
import { Rows } from './what-if/rows.ts';

/** A setting of PyTorch's allocator that would have helped this program, by a replay of its requests. */
export interface Advice {
  /** As in PYTORCH_CUDA_ALLOC_CONF. */
  readonly setting: string;
  /** What the program would have reserved with it, and with the recorded settings: both to the end of the trace. */
  readonly reservedBytes: number;
  readonly insteadBytes: number;
  /** What that saves. */
  readonly bytes: number;
  /** Where memory ran out: whether the replay gets past that, and past all that follows in the trace; null: it did not run out. */
  readonly enough: boolean | null;
}

/** Tried in a report; `highwater what-if` tries more. */
const TRIED = ['expandable_segments:True', 'roundup_power2_divisions:4'];

/** A saving below this share of what is held, or below this many bytes, is not worth a setting. */
const WORTH_SHARE = 0.05;
const WORTH_BYTES = 32 * MiB;

const known = new WeakMap<DeviceTrace, readonly Advice[]>();

/** The settings whose gain is proven, the best first: none where the recorded run cannot be reproduced. */
export function allocatorAdvice(
  recording: Recording,
  trace: DeviceTrace,
  bytes: Summary,
): readonly Advice[] {
  let found = known.get(trace);
  if (!found) {
    found = isWorthwhile(trace, bytes) ? proven(recording, trace) : [];
    known.set(trace, found);
  }
  return found;
}

/** Whether any setting could save enough: none can do with less than what was in use. */
function isWorthwhile({ ooms }: DeviceTrace, { peakReserved, peakRequested }: Summary): boolean {
  return ooms.length > 0 || isWorth(peakReserved - peakRequested, peakReserved);
}

const isWorth = (saved: number, of: number) => saved > WORTH_BYTES && saved > of * WORTH_SHARE;

function proven(recording: Recording, trace: DeviceTrace): Advice[] {
  // Without its settings nobody knows what is already on.
  if (!recordedConf(recording.run.allocator?.settings ?? {})) return [];
  const recorded = recordedProgram(recording, trace);
  if (!recorded?.run.exact) return [];
  return TRIED.flatMap((setting) => adviceOn(setting, { recording, ...recorded })).sort(
    (a, b) => Number(b.enough) - Number(a.enough) || b.bytes - a.bytes,
  );
}

function adviceOn(
  setting: string,
  { recording, program, run }: { recording: Recording; program: Program; run: RecordedRun },
): Advice[] {
  const conf = parseConf(setting);
  if (confText(conf) === confText(run.conf)) return [];
  const rows = new Rows(recording, program, run, 0);
  const under = (tried: AllocatorConf, limit: Program['limit']) =>
    rows.row({ text: confText(tried), conf: tried, limit, limitBytes: null }, false);
  const ranOut = run.replayed.diesAt !== null;
  // How much it needs is told by runs that nothing stops.
  const [own, other] = [under(run.conf, null), under(conf, null)];
  const before = Math.min(program.start.reserved, own.reservedPeakBytes);
  const bytes = own.reservedPeakBytes - Math.max(other.reservedPeakBytes, before);
  const enough = ranOut ? under(conf, program.limit).outcome === 'runs' : null;
  if (!enough && !isWorth(bytes, own.reservedPeakBytes)) return [];
  return [
    {
      setting: confText(conf),
      reservedBytes: other.reservedPeakBytes,
      insteadBytes: own.reservedPeakBytes,
      bytes: Math.max(bytes, 0),
      enough,
    },
  ];
}
