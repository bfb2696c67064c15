import { MiB } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';
import type { Recording } from '../../../model/recording.ts';
import { confText, parseConf } from '../replay/conf.ts';
import type { Limit } from '../replay/heap.ts';
import type { RecordedRun } from '../replay/recorded-run.ts';
import type { CardFigures, WhatIfFigures } from './answer.ts';
import { measuredContext } from './measured-context.ts';
import { whatIfNotes } from './notes.ts';
import { USUAL_SETS, type WhatIfQuestion } from './question.ts';
import { type ReadyTrace, readyTrace, traceOf } from './ready.ts';
import type { Asked, WhatIfRow } from './rows.ts';

/** Where nothing was measured: a context and the kernels of a usual training. */
const ASSUMED_CONTEXT = 512 * MiB;

/** `ready`: the trace made ready before, where more than one question is asked of it. */
export function whatIf(
  recording: Recording,
  question: WhatIfQuestion,
  ready: ReadyTrace = readyTrace(recording, traceOf(recording, question.device)),
): WhatIfFigures {
  const { program, run, floorBytes, rows } = ready;
  const { trace } = program;
  const card = cardFigures(question, trace.device);
  const answered = askedOf(ready, question).map((one) => rows.row(one, question.smallest));
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
    rows: triesUsual(question) ? bestFirst(answered) : answered,
  };
  const notes = whatIfNotes(recording, figures, question, program);
  return { type: 'what-if', schemaVersion: 1, ...figures, notes };
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
export function askedOf(
  { run, program }: Pick<ReadyTrace, 'program'> & { readonly run: Pick<RecordedRun, 'conf'> },
  question: WhatIfQuestion,
): Asked[] {
  const { sets, limits, besides = [] } = question;
  const usual = ['default', ...USUAL_SETS, ...besides];
  const card = cardFigures(question, program.trace.device);
  const own = confText(run.conf);
  const texts = sets ?? [own, ...(triesUsual(question) ? usual : [])];
  const allowed: (Limit | null)[] = limits.map((bytes) => ({ bytes, by: 'fraction' }));
  const one: Limit | null = card ? { bytes: card.usableBytes, by: 'device' } : program.limit;
  const named = texts.map((text) => (text.trim() === '' ? 'default' : text.trim()));
  return (sets ? named : [...new Set(named)]).flatMap((text) =>
    (allowed.length > 0 ? allowed : [one]).map((limit) => ({
      text,
      // What stands in the recording may be more than can be written.
      conf: text === own ? run.conf : parseConf(text),
      limit,
      limitBytes: limits.length > 0 || card ? (limit?.bytes ?? null) : null,
    })),
  );
}

/** Who names limits, and nothing else, asks about the program as it is. */
const triesUsual = ({ sets, limits, besides }: WhatIfQuestion) =>
  sets === null && (limits.length === 0 || besides !== undefined);

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
