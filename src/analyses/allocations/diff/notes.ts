import { deviceId, deviceName } from '../../../model/allocations/device-name.ts';
import { traces } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { settingNotes } from './by-settings.ts';
import type { DeviceDifference } from './device.ts';
import type { Match } from './match.ts';

interface Run {
  readonly name: string;
  readonly recording: Recording;
}

/** What limits the meaning of the figures, as sentences. */
export function notes(
  runs: readonly Run[],
  first: Run,
  differences: readonly DeviceDifference[],
): string[] {
  return [
    ...sourceNotes(runs),
    ...runs.filter((run) => run !== first).flatMap((run) => deviceNotes(first, run, differences)),
    ...runs.filter((run) => run !== first).flatMap((run) => settingNotes(first, run)),
    ...differences.flatMap(momentNotes),
    ...differences.flatMap(matchNotes),
    ...runs.flatMap(lostNotes),
  ];
}

function sourceNotes(runs: readonly Run[]): string[] {
  const sources = runs.map(({ recording }) => recording.run.allocator?.source ?? 'unknown');
  if (new Set(sources).size <= 1) return [];
  const pairs = runs.map(({ name }, i) => `${name}: ${sources[i]}`).join(', ');
  return [`the traces come from different tools, which may not see the same memory (${pairs})`];
}

function deviceNotes(a: Run, b: Run, differences: readonly DeviceDifference[]): string[] {
  const between = differences.filter((one) => one.a === a.name && one.b === b.name);
  const paired = between.map(({ device, otherDevice }) => [device, otherDevice ?? device] as const);
  const onlyIn = (run: Run, side: 0 | 1) =>
    traces(run.recording)
      .map(({ device }) => deviceId(device))
      .filter((device) => !paired.some((pair) => pair[side] === device))
      .map((device) => `${deviceName(device)} is in ${run.name} only`);
  const moved = between.flatMap(({ device, otherDevice }) =>
    otherDevice === null
      ? []
      : [
          `${deviceName(device)} of ${a.name} is held against ${deviceName(otherDevice)} of ${b.name}`,
        ],
  );
  return [...moved, ...onlyIn(a, 0), ...onlyIn(b, 1)];
}

/** What one holds and the other does not may only be a matter of when each peaked. */
function momentNotes({ a, b, device, moments }: DeviceDifference): string[] {
  const [before, after] = [moments.a.phase, moments.b.phase];
  if (before === after || before === null || after === null) return [];
  return [
    `on ${deviceName(device)} ${b} peaks in another phase (${after}) than ${a} (${before}): ` +
      'part of the difference is the moment, not the size',
  ];
}

/** How sites were matched that are not the same to the line. */
const WORDS: Readonly<Partial<Record<Match | 'new' | 'gone', string>>> = {
  'other folder': 'their files lie in other folders',
  'other lines': 'line numbers differ: matched by function and file',
  'other folder and lines': 'folders and line numbers differ: matched by function and file name',
  'other caller': 'callers differ: matched by the innermost function of the program, and inward',
  'other caller and lines':
    'callers and lines differ: matched by the innermost function of the program, and inward',
  'same ends':
    'frames of libraries differ: matched by the innermost call and the function of the program',
};

function matchNotes({ a, b, device, sites, live }: DeviceDifference): string[] {
  const whole = live.bytes.a + live.bytes.b;
  return sites.matched.flatMap(({ match, sites: count, bytes }) => {
    const words = WORDS[match];
    if (!words || whole === 0) return [];
    const percent = Math.round(((bytes.a + bytes.b) / whole) * 100);
    return [
      `${b} − ${a}, ${deviceName(device)}: at ${count} of the sites (${percent} % of the bytes) ${words}`,
    ];
  });
}

function lostNotes({ name, recording }: Run): string[] {
  const { allocator } = recording.run;
  const found: string[] = [];
  if (allocator?.overflowed) {
    found.push(`${name}: its trace overflowed, so its peak may lie before what it tells`);
  }
  if (allocator?.range) {
    const { from, to } = allocator.range;
    found.push(`${name}: only events ${from} to ${to} were loaded, the peak is theirs`);
  }
  return found;
}
