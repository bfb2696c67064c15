import { formatBytes } from '../../../base/bytes.ts';
import { count, percent } from '../../../base/text.ts';
import { HOST_DEVICE } from '../../../model/allocations/actions.ts';
import { traces } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import type { Program } from '../replay/program.ts';
import type { WhatIfFigures } from './answer.ts';
import { otherDevice } from './other-devices.ts';
import type { WhatIfQuestion } from './question.ts';

type Figures = Omit<WhatIfFigures, 'type' | 'schemaVersion' | 'notes'>;

/** What the figures rest on, and what they leave out; the gravest first. */
export function whatIfNotes(
  recording: Recording,
  figures: Figures,
  question: WhatIfQuestion,
  program: Program,
): string[] {
  return [
    ...agreement(otherDevice(recording, program.trace), figures),
    ...ofCard(figures),
    ...ofTrace(recording, figures, program),
    ...ofRows(figures, question),
  ];
}

function agreement(other: string | null, { recorded }: Figures): string[] {
  const {
    exact,
    confTold,
    reservedPeakBytes: real,
    simulatedReservedPeakBytes: simulated,
  } = recorded;
  const rules = other
    ? [`this is the trace of an ${other}: its allocator has rules of its own`]
    : [];
  const unknown = confTold
    ? []
    : [`the trace does not tell the allocator's settings: ${assumed(recorded.conf)}`];
  if (exact) return [...rules, ...unknown];
  const { sameDeviceAllocs: same, deviceAllocs: all } = recorded;
  const off = percent(Math.abs(simulated - real) / Math.max(real, 1));
  return [
    ...rules,
    ...unknown,
    `the replay of the recorded run does not agree with it: ${formatBytes(simulated)} reserved instead of ` +
      `${formatBytes(real)} (${off} off), the same segments only up to number ${same} of ${all}; ` +
      'so no saving is claimed, and the other figures may be off by as much or more',
  ];
}

/** Pages that are mapped one by one show that much of the settings. */
const assumed = (conf: string) =>
  conf === 'default'
    ? "torch's own are assumed"
    : `${conf} shows in how it takes memory, and torch's own are assumed besides`;

function ofCard({ card }: Figures): string[] {
  if (!card) return [];
  const from = {
    given: 'as given',
    measured: 'as measured: what the driver counted for the process less what torch had reserved',
    assumed: 'assumed, as nothing was measured: --context sets it',
  }[card.contextFrom];
  return [
    `${card.name}: ${formatBytes(card.totalBytes)} in all, less ${formatBytes(card.contextBytes)} for the context and libraries (${from})`,
  ];
}

function ofTrace(
  recording: Recording,
  figures: Figures,
  { trace, limit, life, start, releases }: Program,
): string[] {
  const notes: string[] = [];
  if (start.reserved > 0) {
    notes.push(
      `${formatBytes(start.reserved)} were reserved before the trace began, ${formatBytes(figures.beforeTraceBytes)} of it in use: what other settings would have saved of that is not known, and not counted`,
    );
  }
  const odd = life.unmatchedFrees + life.unmatchedAllocs;
  if (odd > 0) notes.push(`${count(odd, 'event')} fit no block: the trace has holes`);
  if (limit) {
    const [low, high] = [limit.bytes, limit.upTo ?? limit.bytes].map(formatBytes);
    const much =
      low === high
        ? `what could be reserved was ${low}`
        : `the limit of the process lay between ${low} and ${high}, of which the lower is taken`;
    notes.push(
      `a request failed in the recorded run: where no limit is named, ${much}; what the program would have done after that request is not known`,
    );
  }
  if (releases > 0) {
    notes.push(
      `caches were given back ${count(releases, 'time')} in the recorded run: that is replayed at the same moments, as calls of empty_cache()`,
    );
  }
  const others = traces(recording)
    .map(({ device }) => device)
    .filter((device) => device !== trace.device && device < HOST_DEVICE - 1);
  if (others.length > 0)
    notes.push(`GPU ${trace.device} of several: --device ${others.join(', ')}`);
  return notes;
}

function ofRows({ rows }: Figures, { limits, card }: WhatIfQuestion): string[] {
  const notes: string[] = [];
  if (rows.some(({ retries }) => retries > 0)) {
    notes.push(
      'where a request finds no memory the program may itself do otherwise than recorded: cuDNN then tries smaller workspaces',
    );
  }
  const collects = rows.some(({ conf }) => conf.includes('garbage_collection_threshold'));
  if (collects && (limits.length === 0 || card)) {
    notes.push(
      'garbage_collection_threshold does nothing unless the process has a limit (set_per_process_memory_fraction): try it with --limit',
    );
  }
  return notes;
}
