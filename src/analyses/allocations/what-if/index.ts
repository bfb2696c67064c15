import { MiB } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';
import { HOST_DEVICE } from '../../../model/allocations/actions.ts';
import { summary } from '../../../model/allocations/curve.ts';
import { type DeviceTrace, traces } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { type AllocatorConf, confText, parseConf } from '../replay/conf.ts';
import type { Limit } from '../replay/heap.ts';
import { programOf } from '../replay/program.ts';
import { reproduce } from '../replay/recorded-run.ts';
import type { CardFigures, WhatIfFigures } from './answer.ts';
import { floorOf } from './floor.ts';
import { measuredContext } from './measured-context.ts';
import { whatIfNotes } from './notes.ts';
import { USUAL_SETS, type WhatIfQuestion } from './question.ts';
import { type Asked, Rows, type WhatIfRow } from './rows.ts';

/** Where nothing was measured: a context and the kernels of a usual training. */
const ASSUMED_CONTEXT = 512 * MiB;

export function whatIf(recording: Recording, question: WhatIfQuestion): WhatIfFigures {
  const trace = traceOf(recording, question.device);
  const program = programOf(recording, trace);
  const run = reproduce(recording, program);
  const floorBytes = floorOf(program);
  const card = cardFigures(question, trace.device);
  const rows = new Rows(recording, program, run, floorBytes);
  const asked = askedOf(question, run.conf, card, program.limit);
  const answered = asked.map((one) => rows.row(one, question.smallest));
  const figures = {
    device: trace.device,
    events: trace.events,
    recorded: {
      conf: confText(run.conf),
      confTold: run.confTold,
      reservedPeakBytes: run.reservedPeakBytes,
      simulatedReservedPeakBytes: run.replayed.reservedPeakBytes,
      exact: run.exact,
      outcome: run.replayed.diesAt === null ? ('runs' as const) : ('dies' as const),
      deviceAllocs: run.deviceAllocs,
      sameDeviceAllocs: run.sameDeviceAllocs,
      limitBytes: program.limit?.bytes ?? null,
    },
    floorBytes,
    beforeTraceBytes: program.bytes.startRequested,
    variable: variableOf(recording),
    card,
    rows: question.sets || question.limits.length > 0 ? answered : bestFirst(answered),
  };
  const notes = whatIfNotes(recording, figures, question, program);
  return { type: 'what-if', schemaVersion: 1, ...figures, notes };
}

/** The device that was asked for, or the one that reserved most. */
function traceOf(recording: Recording, device: number | null): DeviceTrace {
  const all = traces(recording).filter((trace) => trace.device < HOST_DEVICE - 1);
  if (recording.run.allocator?.source !== 'torch-snapshot' || all.length === 0) {
    throw new UserError('there is no trace of torch’s allocator in it', {
      hint: 'give a snapshot of torch.cuda.memory._dump_snapshot(), or a recording that has one beside it',
    });
  }
  if (device === null && all.length === 1) return all[0]!;
  const found =
    device === null
      ? all.sort((a, b) => summary(b).peakReserved - summary(a).peakReserved)[0]
      : all.find((trace) => trace.device === device);
  if (!found) {
    const there = all.map((trace) => trace.device).join(', ');
    throw new UserError(`no trace of device ${device}`, { hint: `there are: ${there}` });
  }
  return found;
}

function cardFigures(question: WhatIfQuestion, device: number): CardFigures | null {
  const { card } = question;
  if (!card) return null;
  const { bytes, from } = contextOf(question, device);
  const usableBytes = card.totalBytes - bytes;
  if (usableBytes <= 0) {
    throw new UserError(`nothing of ${card.name} is left beside the context`, {
      hint: 'name a larger card, or a smaller --context',
    });
  }
  return { ...card, contextBytes: bytes, contextFrom: from, usableBytes };
}

function contextOf({ contextBytes, beside }: WhatIfQuestion, device: number) {
  if (contextBytes !== null) return { bytes: contextBytes, from: 'given' as const };
  const measured = beside && measuredContext(beside, device);
  return measured === null
    ? { bytes: ASSUMED_CONTEXT, from: 'assumed' as const }
    : { bytes: measured, from: 'measured' as const };
}

/** One for each pair of settings and limit, the settings in their order and the limits within them. */
function askedOf(
  { sets, limits }: WhatIfQuestion,
  recorded: AllocatorConf,
  card: CardFigures | null,
  known: Limit | null,
): Asked[] {
  const own = confText(recorded);
  const texts = sets ?? (limits.length > 0 ? [own] : [...new Set([own, 'default', ...USUAL_SETS])]);
  const allowed: (Limit | null)[] = limits.map((bytes) => ({ bytes, by: 'fraction' }));
  const one: Limit | null = card ? { bytes: card.usableBytes, by: 'device' } : known;
  return texts.flatMap((text) =>
    (allowed.length > 0 ? allowed : [one]).map((limit) => ({
      text: text.trim() === '' ? 'default' : text.trim(),
      // What stands in the recording may be more than can be written.
      conf: text === own ? recorded : parseConf(text),
      limit,
      limitBytes: limits.length > 0 || card ? (limit?.bytes ?? null) : null,
    })),
  );
}

function bestFirst(rows: readonly WhatIfRow[]): WhatIfRow[] {
  const dead = ({ outcome }: WhatIfRow) => Number(outcome === 'dies');
  return [...rows].sort(
    (a, b) =>
      dead(a) - dead(b) ||
      (dead(a) ? b.reservedPeakBytes - a.reservedPeakBytes : a.retries - b.retries) ||
      a.reservedPeakBytes - b.reservedPeakBytes ||
      a.deviceAllocs - b.deviceAllocs ||
      a.conf.length - b.conf.length,
  );
}

/** Newer versions name it otherwise, and say so in their snapshots. */
function variableOf({ run }: Recording): string {
  const settings = run.allocator?.settings ?? {};
  return Object.hasOwn(settings, 'PYTORCH_ALLOC_CONF') &&
    !Object.hasOwn(settings, 'PYTORCH_CUDA_ALLOC_CONF')
    ? 'PYTORCH_ALLOC_CONF'
    : 'PYTORCH_CUDA_ALLOC_CONF';
}
