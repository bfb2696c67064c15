import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { parseConf } from '../../analyses/allocations/replay/conf.ts';
import { whatIfBeside } from '../../analyses/allocations/what-if/beside.ts';
import { type Card, parseCard } from '../../analyses/allocations/what-if/cards.ts';
import { parseContext, parseLimit } from '../../analyses/allocations/what-if/limits.ts';
import { whatIfVerdict } from '../../analyses/verdict/what-if.ts';
import { Replayer } from '../../answers/replays/replayer.ts';
import { MiB } from '../../base/bytes.ts';
import { UserError } from '../../base/errors.ts';
import type { Recording } from '../../model/recording.ts';
import { type InputLocation, locate } from '../../open/locate.ts';
import { openWithTraces } from '../../open/open.ts';
import { NodeReplayThread } from '../../server/replay-client.ts';
import { whatIfMarkdown, whatIfText } from '../../views/what-if/text.ts';
import { EVENTS_FLAG, EVENTS_MEANING, eventRange } from '../flags/event-range.ts';
import { argument, several } from '../flags/parse.ts';
import { addJsonFlags, answerJson, type JsonFlags } from '../output/json.ts';
import { orNewest } from '../output/newest.ts';
import { show } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';

interface Flags extends JsonFlags {
  readonly set: readonly string[];
  readonly limit: readonly number[];
  readonly card?: Card;
  readonly context?: number;
  readonly smallest?: true;
  readonly device?: number;
  readonly events?: { from: number; to: number };
  readonly markdown?: true;
}

const EXAMPLE = `highwater what-if snapshot.pickle
highwater what-if train.hw --set expandable_segments:True --set max_split_size_mb:128
highwater what-if snapshot.pickle --set default --limit 20GiB --limit 16GiB
highwater what-if snapshot.pickle --card A10G           # or --card 24GiB: does it run there?
highwater what-if snapshot.pickle --smallest            # the smallest card under each setting`;

/** What a program would have reserved under other settings of torch's allocator, or on another card. */
export function command(): Command {
  return addJsonFlags(
    newCommand(
      'what-if',
      "replay torch's allocator under other settings, or on another card",
      EXAMPLE,
    )
      .argument(
        '[input]',
        'a memory snapshot of torch, or a recording with one beside it (default: the newest)',
      )
      .option(
        '--set <settings>',
        "settings as in PYTORCH_CUDA_ALLOC_CONF, in place of those recorded; default: torch's own (repeatable)",
        several(argument(checked)),
        [],
      )
      .option(
        '--limit <size>',
        'what the process may reserve, as set_per_process_memory_fraction sets it (repeatable)',
        several(argument(parseLimit)),
        [],
      )
      .option(
        '--card <size|name>',
        'a card to try it on: 24GiB, A10G, A100-40 …',
        argument(parseCard),
      )
      .option(
        '--context <size>',
        'with --card: what context and libraries take there (default: as measured, or 512 MiB)',
        argument(parseContext),
      )
      .option('--smallest', 'also the least that torch must be able to reserve under each setting')
      .option(
        '--device <number>',
        'the GPU (default: the one that reserved most)',
        argument(ordinal),
      )
      .option(EVENTS_FLAG, EVENTS_MEANING, eventRange)
      .option('--markdown', 'for an issue or a pull request'),
  );
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, answer);
}

/** Settings that can be read, as they were written. */
function checked(text: string): string {
  parseConf(text);
  return text;
}

function ordinal(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new UserError(`'${text}' is no number of a device`);
  return Number(text);
}

async function answer(named: string | undefined, flags: Flags): Promise<void> {
  const { card, context, limit, smallest, device } = flags;
  if (card && limit.length > 0) throw new UserError('give --card or --limit, not both');
  if (context !== undefined && !card) {
    throw new UserError('--context needs --card', { hint: 'name the card: --card 24GiB' });
  }
  const location = locate(orNewest(named));
  const thread = new NodeReplayThread(isLarge(location.path));
  try {
    const { recording, beside } = await tracedRecording(location, flags);
    const figures = await whatIfBeside(
      recording,
      {
        sets: flags.set.length > 0 ? flags.set : null,
        limits: limit,
        card: card ?? null,
        contextBytes: context ?? null,
        beside,
        smallest: smallest ?? false,
        device: device ?? null,
      },
      (program) => new Replayer(program, thread),
    );
    const result = { ...figures, verdict: whatIfVerdict(figures) };
    show(
      flags.json
        ? answerJson(result, flags, [location.path])
        : flags.markdown
          ? whatIfMarkdown(result)
          : whatIfText(result),
    );
  } finally {
    await thread.end();
  }
}

/** So large a file takes longer to read than a thread takes to start. */
const LARGE_BYTES = 16 * MiB;

const isLarge = (path: string) =>
  (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LARGE_BYTES;

/** The trace itself, or the one beside a recording. */
async function tracedRecording(
  location: InputLocation,
  { events }: Flags,
): Promise<{ recording: Recording; beside: Recording | null }> {
  const { recording, snapshots } = await openWithTraces(location, { events }, undefined, true);
  const traced = [recording, ...snapshots].find(
    ({ run }) => run.allocator?.source === 'torch-snapshot',
  );
  return { recording: traced ?? recording, beside: recording };
}
