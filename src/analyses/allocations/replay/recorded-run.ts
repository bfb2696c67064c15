import { ACTION } from '../../../model/allocations/actions.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { type AllocatorConf, DEFAULT_CONF, recordedConf } from './conf.ts';
import type { Program } from './program.ts';
import { replay } from './replay.ts';
import type { Replayed } from './replayed.ts';

/** The recorded run, and the same run replayed: nothing is said of other settings before these agree. */
export interface RecordedRun {
  readonly conf: AllocatorConf;
  /** false: the trace does not say its settings, and these are torch's own. */
  readonly confTold: boolean;
  readonly reservedPeakBytes: number;
  /** Segments or pages fetched from the driver. */
  readonly deviceAllocs: number;
  readonly replayed: Replayed;
  /** So many of them, from the first on, have the same sizes in the replay. */
  readonly sameDeviceAllocs: number;
  /** All of them, and the peak to the byte. */
  readonly exact: boolean;
}

export function reproduce(recording: Recording, program: Program, keepCurve = false): RecordedRun {
  const { trace, driver, limit, bytes } = program;
  const { peakReserved } = bytes;
  const { conf, confTold } = confOf(recording, trace);
  const keep = { keepFetched: true, keepCurve };
  const replayed = replay(program, { conf, limit, start: 'placed', ...keep });
  const fetched = replayed.fetched!;
  let same = 0;
  while (same < fetched.length && fetched[same] === driver.fetched[same]?.size) same++;
  const alike = same === fetched.length && same === driver.fetched.length;
  return {
    conf,
    confTold,
    reservedPeakBytes: peakReserved,
    deviceAllocs: driver.fetched.length,
    replayed,
    sameDeviceAllocs: same,
    exact: alike && replayed.reservedPeakBytes === peakReserved,
  };
}

/** The settings of the recorded run: nothing has to be replayed for them. */
export function confOf(
  recording: Recording,
  trace: DeviceTrace,
): Pick<RecordedRun, 'conf' | 'confTold'> {
  const told = recordedConf(recording.run.allocator?.settings ?? {});
  return { conf: told ?? assumedConf(trace), confTold: told !== null };
}

/** Torch's own, but for what the segments show. */
function assumedConf({ actions, segments }: DeviceTrace): AllocatorConf {
  const grows = actions.includes(ACTION.segment_map) || segments.expandable.includes(1);
  return { ...DEFAULT_CONF, expandableSegments: grows };
}
