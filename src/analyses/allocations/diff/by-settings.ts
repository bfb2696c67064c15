import { formatBytes } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';
import { deviceId, deviceName } from '../../../model/allocations/device-name.ts';
import { type DeviceTrace, traces } from '../../../model/allocations/trace.ts';
import type { NamedRecording, Recording } from '../../../model/recording.ts';
import { type AllocatorConf, confText, recordedConf } from '../replay/conf.ts';
import { programOf } from '../replay/program.ts';
import { reproduce } from '../replay/recorded-run.ts';
import { Rows } from '../what-if/rows.ts';

/** What the first run would have reserved with the settings of another: how much of a difference is theirs. */
export function settingNotes(first: NamedRecording, other: NamedRecording): string[] {
  const [own, its] = [first, other].map(({ recording }) =>
    recordedConf(recording.run.allocator?.settings ?? {}),
  );
  if (!own || !its || confText(own) === confText(its)) return [];
  return traces(first.recording).flatMap((trace) => {
    const device = deviceId(trace.device);
    const reserved = typeof device === 'number' ? under(first.recording, trace, its) : null;
    if (!reserved) return [];
    return [
      `with the settings of ${other.name} (${confText(its)}) ${first.name} would have reserved ${formatBytes(reserved.other)} ` +
        `on ${deviceName(device)} instead of ${formatBytes(reserved.own)}, by a replay of its trace`,
    ];
  });
}

/** null where the recorded run cannot be reproduced, or runs out of memory. */
function under(
  recording: Recording,
  trace: DeviceTrace,
  conf: AllocatorConf,
): { own: number; other: number } | null {
  try {
    const program = programOf(recording, trace);
    const run = reproduce(recording, program);
    const { limit } = program;
    const asked = { text: confText(conf), conf, limit, limitBytes: null };
    const { savingBytes } = new Rows(recording, program, run, 0).row(asked, false);
    if (savingBytes === null) return null;
    return { own: run.reservedPeakBytes, other: run.reservedPeakBytes - savingBytes };
  } catch (error) {
    // A trace that contradicts itself proves nothing.
    if (error instanceof UserError) return null;
    throw error;
  }
}
