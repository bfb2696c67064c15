import type { HostHolder } from '../../analyses/processes/host-peak/index.ts';
import type { HostPart, HostPartName } from '../../analyses/processes/host-peak/part.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { ellipsize, percent, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { kindName } from '../../model/memory-kinds.ts';
import { runningWords } from './running.ts';
import type { Account, Passage, TextLayout } from './section.ts';

const WORDS: Readonly<Record<HostPartName, string>> = {
  libraries: 'programs and libraries',
  'mapped files': 'mapped files',
  'shared memory': 'shared memory',
  'pinned memory': 'pinned by torch, for copies to a card',
  'device mappings': 'mappings of devices',
  'thread stacks': 'stacks of threads',
  parameters: kindName('parameter'),
  gradients: kindName('gradient'),
  'optimizer state': kindName('optimizer_state'),
  caches: kindName('cache'),
  tensors: 'other tensors that Python holds',
  'arrays and containers': 'arrays, texts and containers',
  'python objects': "Python's objects of up to 512 bytes",
  'python free': "kept free in arenas of Python's objects",
  'running step': 'of the running step: what autograd keeps, temporary results',
  'malloc in use': "handed out by malloc besides: libraries, Python's larger objects",
  'step or libraries':
    'handed out by malloc besides: what autograd keeps, temporary results, libraries',
  'malloc free': 'kept free by malloc',
  remainder: 'not told apart',
  heap: 'heap (brk): small blocks of malloc',
  'large blocks': 'anonymous blocks of 1 MiB and more: arrays, tensors, arenas',
  'small blocks': 'smaller anonymous blocks',
};

/** Below this share of a process a part has no line of its own. */
const WORTH_SHARE = 0.005;
/** Of a training, however small. */
const ALWAYS: ReadonlySet<HostPartName> = new Set([
  'parameters',
  'gradients',
  'optimizer state',
  'running step',
]);
/** The parts are of a clearly lower moment below this share of the peak. */
const NEARLY = 0.9;
/** The process's own word is of another moment from here on. */
const OFF_SECONDS = 1;

export function hostPeakPassages(report: Report, { width }: TextLayout): readonly Passage[] {
  return report.hostPeak.holders.map((holder) => ({
    about: 'host-peak',
    title: `What ${printable(holder.role)} held at its peak (process ${holder.pid})`,
    blocks: [
      { lines: [momentWords(holder), ...runningWords(holder.running)] },
      {
        table: {
          head: ['bytes', 'share', 'what'],
          body: rowsOf(holder, width),
          right: new Set([0, 1]),
          rest: null,
        },
      },
      { lines: noteOf(holder) },
    ],
  }));
}

function momentWords({ atBytes, atSeconds, peakBytes, beyond }: HostHolder): string {
  const at = `${formatBytes(atBytes)} resident at ${formatDuration(atSeconds)}`;
  if (atBytes >= peakBytes * NEARLY) return at;
  const share = `${percent(atBytes / peakBytes)} of its peak of ${formatBytes(peakBytes)}`;
  const [most] = MORE.map(([key, words]) => ({ words, bytes: beyond?.[key] ?? 0 })).sort(
    (a, b) => b.bytes - a.bytes,
  );
  const more =
    most!.bytes > 0 ? `: ${formatBytes(most!.bytes)} more of ${most!.words} by then` : '';
  return `${at}, ${share}, at which it was not read${more}`;
}

const MORE = [
  ['anonymous', 'its own memory'],
  ['files', 'libraries and mapped files'],
  ['shared', 'shared memory'],
] as const;

function rowsOf({ atBytes, parts }: HostHolder, width: number): string[][] {
  return parts
    .filter(({ what, bytes }) => bytes >= atBytes * WORTH_SHARE || ALWAYS.has(what))
    .flatMap((part) => [
      [formatBytes(part.bytes), percent(part.bytes / atBytes), WORDS[part.what]],
      ...part.of
        .filter(({ bytes }) => bytes >= atBytes * WORTH_SHARE)
        .map(({ name, bytes }) => [
          '',
          '',
          `  ${formatBytes(bytes)}  ${shortName(part, name, width)}`,
        ]),
    ]);
}

/** Of a library its file is enough; of a file that was mapped, where it lies. */
const shortName = ({ what }: HostPart, name: string, width: number) =>
  ellipsize(
    printable(what === 'libraries' ? name.slice(name.lastIndexOf('/') + 1) : name),
    width - 40,
  );

function noteOf({ parts }: HostHolder): string[] {
  const off = Math.max(0, ...parts.map(({ secondsOff }) => Math.abs(secondsOff ?? 0)));
  return off >= OFF_SECONDS
    ? [`what the process said itself is of up to ${formatDuration(off)} before or after that`]
    : [];
}

/** A part in words, with the largest that is named within it. */
export function partWords({ what, of }: HostPart): string {
  const [most] = of;
  return most ? `${WORDS[what]}; most: ${printable(most.name)}` : WORDS[what];
}

/** A bar of the page for each process. */
export const hostPeakAccounts = ({ hostPeak }: Report): Account[] =>
  hostPeak.holders.map(({ role, pid, atBytes, atSeconds, peakBytes, parts, running }) => ({
    ...(atBytes >= peakBytes * NEARLY
      ? {
          title: `What ${printable(role)} held at its peak (process ${pid}, ${formatDuration(atSeconds)})`,
          counted: 'resident, shared pages in full',
        }
      : {
          title: `What ${printable(role)} held at ${formatDuration(atSeconds)} (process ${pid})`,
          counted: `resident, shared pages in full; at its peak of ${formatBytes(peakBytes)} it was not read`,
          moment: `at ${formatDuration(atSeconds)}`,
        }),
    bytes: atBytes,
    ran: runningWords(running)[0],
    of: 'kinds',
    parts: parts.map(({ what, bytes, of }) => ({
      key: what,
      label: WORDS[what],
      bytes,
      about: of.length > 0 ? of.map(({ name }) => printable(name)).join(', ') : null,
    })),
  }));
