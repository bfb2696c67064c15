import type { Command } from 'commander';
import { describeError, UserError } from '../../base/errors.ts';
import { credentialsFrom } from '../../metrics/send/credentials.ts';
import { Exposition, exposeAddress } from '../../metrics/send/expose.ts';
import { Sender } from '../../metrics/send/sender.ts';
import { targetOf } from '../../metrics/send/target.ts';
import { textExposition } from '../../metrics/wire/text.ts';
import { Cards } from '../../node/cards.ts';
import { groupRoot } from '../../node/groups.ts';
import type { JobRule } from '../../node/job-names.ts';
import { NodeWatch } from '../../node/watch.ts';
import { THIS_MACHINE } from '../../sources/source.ts';
import { argument, numberBetween, several } from '../flags/parse.ts';
import { tell } from '../output/terminal.ts';
import { newCommand, runCommand } from '../verb.ts';

const EXAMPLE = `highwater node                                     # http://127.0.0.1:9808/metrics
highwater node --listen 0.0.0.0:9808 --log /var/log/highwater
highwater node --match 'pbs=/pbs_jobs\\.service/jobid/(?<job>[^/]+)$' --push http://prometheus:9090/api/v1/write`;

interface NodeFlags {
  readonly listen: string;
  readonly push?: string;
  readonly window: number;
  readonly match: JobRule[];
  readonly log?: string;
  readonly retain: number;
  readonly maxJobs: number;
  readonly offFile: string;
  readonly gpu: boolean;
}

const TICK_MS = 1000;
/** Two scrapes of the usual minute find a job that has ended. */
const KEEP_SECONDS = 150;
const LAST_PUSH_MS = 5000;

/** One per machine: the exact peak of every job on it, for the monitoring that is there. */
export function command(): Command {
  return newCommand('node', 'exact peaks of every job on this machine, for Prometheus', EXAMPLE)
    .option(
      '--listen <address>',
      'where to be scraped: :9808 for this machine alone, 0.0.0.0:9808 for all',
      argument(checkedAddress),
      ':9808',
    )
    .option(
      '--push <url>',
      'send it instead of only being asked (or HIGHWATER_PUSH)',
      argument(checkedUrl),
    )
    .option(
      '--window <seconds>',
      'peaks are the largest of so many seconds: at least as long as two scrapes are apart; also how often it pushes',
      numberBetween(5, 3600, 'seconds'),
      60,
    )
    .option(
      '--match <name=pattern>',
      'jobs of another scheduler: its name, and a pattern of control groups with (?<job>…), perhaps (?<user>…)',
      several(argument(jobRule)),
      [],
    )
    .option('--log <folder>', 'note jobs that ended, in files that only their users can read')
    .option('--retain <days>', 'for so long', numberBetween(1, 3650, 'days'), 30)
    .option(
      '--max-jobs <number>',
      'at most so many at once',
      numberBetween(1, 10_000, 'jobs'),
      1000,
    )
    .option('--off-file <path>', 'while this file is there, nothing is read', '/etc/highwater/off')
    .option('--no-gpu', 'do not ask for cards');
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, node);
}

async function node(flags: NodeFlags): Promise<void> {
  const root = groupRoot(THIS_MACHINE);
  if (!root) {
    throw new UserError('no control groups with memory accounting on this machine', {
      hint: 'mount /sys/fs/cgroup, or start Linux with cgroup_enable=memory',
    });
  }
  const say = (text: string) => tell(`highwater: ${text}\n`);
  const cards = flags.gpu ? Cards.open() : { reason: 'not asked for' };
  const watch = new NodeWatch({
    machine: THIS_MACHINE,
    root,
    rules: flags.match,
    windowSeconds: Math.ceil(flags.window),
    keepSeconds: Math.max(KEEP_SECONDS, flags.window),
    mostJobs: flags.maxJobs,
    offFile: flags.offFile,
    log: flags.log === undefined ? null : { folder: flags.log, days: flags.retain },
    cards: 'cards' in cards ? cards.cards : null,
    say,
  });
  const url = flags.push ?? process.env.HIGHWATER_PUSH;
  const sender = url ? new Sender(targetOf(url), credentialsFrom(process.env), say) : null;
  const { exposition, url: asked } = await listen(flags.listen, () =>
    textExposition(watch.samples(Date.now())),
  );
  const who =
    process.getuid?.() === 0
      ? 'root'
      : 'an ordinary user, who cannot see the environment of others';
  say(
    `${asked}, once a second, as ${who}${'reason' in cards ? `; no cards: ${cards.reason}` : ''}`,
  );

  const look = () => {
    try {
      watch.tick(Date.now());
    } catch (error) {
      say(describeError(error)); // a second that was lost is no reason to end
    }
  };
  look();
  const timers = [setInterval(look, TICK_MS)];
  if (sender)
    timers.push(setInterval(() => sender.add(watch.samples(Date.now())), flags.window * 1000));
  await signalled();
  for (const timer of timers) clearInterval(timer);
  exposition.close();
  if (sender) {
    sender.add(watch.samples(Date.now()));
    await sender.finish(LAST_PUSH_MS);
  }
  if ('cards' in cards) cards.cards.close();
}

async function listen(address: string, text: () => string) {
  try {
    return await Exposition.open(exposeAddress(address), text);
  } catch (error) {
    throw new UserError(`cannot listen at ${address}: ${describeError(error)}`, {
      hint: 'another may be running; --listen :PORT names another port',
    });
  }
}

const signalled = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

function checkedAddress(text: string): string {
  exposeAddress(text);
  return text;
}

function checkedUrl(text: string): string {
  targetOf(text);
  return text;
}

/** `pbs=/jobid/(?<job>[^/]+)$` */
export function jobRule(text: string): JobRule {
  const [, manager, source] = /^([\w-]{1,40})=(.+)$/s.exec(text) ?? [];
  if (!manager || !source?.includes('(?<job>')) {
    throw new UserError(`'${text}' names no jobs`, {
      hint: "write it as 'pbs=/jobid/(?<job>[^/]+)$'",
    });
  }
  try {
    return { manager, pattern: new RegExp(source) };
  } catch (error) {
    throw new UserError(`'${source}' is no pattern: ${describeError(error)}`);
  }
}
