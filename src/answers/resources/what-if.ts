import { parseCard } from '../../analyses/allocations/what-if/cards.ts';
import { whatIf as answerOf, askedOf } from '../../analyses/allocations/what-if/index.ts';
import { parseContext, parseLimit } from '../../analyses/allocations/what-if/limits.ts';
import type { WhatIfQuestion } from '../../analyses/allocations/what-if/question.ts';
import {
  isCard,
  isReplayable,
  type ReadyTrace,
  readyTrace,
  traceOf,
} from '../../analyses/allocations/what-if/ready.ts';
import { whatIfView } from '../../analyses/allocations/what-if/view.ts';
import { whatIfVerdict } from '../../analyses/verdict/what-if.ts';
import { UserError } from '../../base/errors.ts';
import type { DeviceTrace } from '../../model/allocations/trace.ts';
import { Columns } from '../../model/columns.ts';
import type { OpenRun } from '../opened.ts';
import type { ReplayThread } from '../replays/messages.ts';
import { keepProgress, ProgressKeeper } from '../replays/progress.ts';
import { Replayer } from '../replays/replayer.ts';
import { asRun, type Resource } from './resource.ts';
import { type RunTrace, runTraces } from './run-traces.ts';

/** Each is a replay, and a row that somebody reads. */
const MOST_SETTINGS = 20;

/**
 * The trace's requests replayed under the usual settings, and those that `set=` names besides, with `;` between them; on the card
 * that `card=` names, of which `context=` is not torch's, or within `limit=`. `smallest=1`: the smallest limit too. `trace=`:
 * another than the command line takes.
 */
export const whatIf: Resource = {
  name: 'what-if',
  scope: 'run',
  has: (_opened, run) => run !== undefined && replayable(run).length > 0,
  async get(opened, given, query, signal) {
    const run = asRun(given);
    const all = replayedTraces(run);
    const { recording, trace, index } = chosenOf(all, run, query.get('trace'));
    const question = questionOf(run, trace, query);
    const ready = readyOf(recording, trace);
    const keep = (keeper: ProgressKeeper) => keepProgress(run.recording, query, keeper);
    await prepare(ready, question, opened.replayThread(), keep, signal);
    const figures = answerOf(recording, question, ready);
    const answer = { ...figures, verdict: whatIfVerdict(figures) };
    const { header, arrays } = whatIfView(ready, question, answer);
    const traces = all.map(({ index, name }) => ({ index, name }));
    return new Columns({ ...header, traces, index }, arrays);
  },
  embed: (_opened, run) => (run && canReplay(run) ? [''] : null),
  leftOut: (_opened, run) =>
    run && canReplay(run)
      ? 'other settings and cards under What if'
      : 'What if: the trace cannot be replayed',
};

/** The run's own trace, and those beside it. */
const replayable = ({ recording, snapshots }: OpenRun) =>
  [recording, ...snapshots].filter(isReplayable);

function replayedTraces(run: OpenRun): RunTrace[] {
  const there = new Set(replayable(run));
  return runTraces(run).filter(
    ({ recording, trace }) => there.has(recording) && isCard(trace.device),
  );
}

/** Without a word, the one that `highwater what-if` takes. */
function chosenOf(all: readonly RunTrace[], run: OpenRun, asked: string | null): RunTrace {
  const usual = () => traceOf(replayable(run)[0]!, null);
  const found =
    asked === null
      ? all.find(({ trace }) => trace === usual())
      : all.find(({ index }) => index === Number(asked));
  if (found) return found;
  throw new UserError(`there is no trace ${asked} to replay`, {
    hint: `there are: ${all.map(({ index }) => index).join(', ')}`,
  });
}

/** A trace that contradicts itself cannot be: the rest of a report is written all the same. */
function canReplay(run: OpenRun): boolean {
  try {
    const { recording, trace } = chosenOf(replayedTraces(run), run, null);
    readyOf(recording, trace);
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

function questionOf(run: OpenRun, trace: DeviceTrace, query: URLSearchParams): WhatIfQuestion {
  const [card, context, limit] = ['card', 'context', 'limit'].map((name) => query.get(name));
  if (card && limit) throw new UserError('a card or a limit, not both');
  if (context && !card) throw new UserError('a context needs a card');
  return {
    sets: null,
    besides: settingsIn(query.get('set') ?? ''),
    limits: limit ? [parseLimit(limit)] : [],
    card: card ? parseCard(card) : null,
    contextBytes: context ? parseContext(context) : null,
    beside: run.recording,
    smallest: query.get('smallest') === '1',
    device: trace.device,
  };
}

function settingsIn(text: string): string[] {
  const settings = text.split(';').filter((one) => one.trim() !== '');
  if (settings.length <= MOST_SETTINGS) return settings;
  throw new UserError(
    `${settings.length} settings are too many: at most ${MOST_SETTINGS} are compared at once`,
  );
}

/** Other questions are answered in between. Who asked may have gone: then nothing more is begun. */
async function prepare(
  ready: ReadyTrace,
  question: WhatIfQuestion,
  thread: ReplayThread,
  keep: (keeper: ProgressKeeper) => () => void,
  signal?: AbortSignal,
): Promise<void> {
  const all = askedOf(ready, question);
  const keeper = new ProgressKeeper(all.length, ready.program.events, question.smallest);
  const replayer = new Replayer(ready.program, thread, keeper);
  const forget = keep(keeper);
  try {
    for (const asked of all) {
      await nextTurn();
      signal?.throwIfAborted();
      keeper.begin(asked.text);
      await ready.rows.prepare(asked, question.smallest, replayer);
    }
  } finally {
    forget();
    await replayer.end();
  }
}

/** Whatever else is waiting comes first. */
const nextTurn = () => new Promise((next) => setTimeout(next));

const known = new WeakMap<DeviceTrace, ReadyTrace>();

/** Kept, as the next question is of the same trace: its replays are not done again. */
function readyOf(recording: RunTrace['recording'], trace: DeviceTrace): ReadyTrace {
  const found = known.get(trace) ?? readyTrace(recording, trace, true);
  known.set(trace, found);
  return found;
}
