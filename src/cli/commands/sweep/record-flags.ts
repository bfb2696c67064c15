import { type Command, Option } from 'commander';
import { parseSize } from '../../../base/bytes.ts';
import { UserError } from '../../../base/errors.ts';
import { parseMarkPattern } from '../../../formats/log-lines/index.ts';
import { AGENT_CHOICES } from '../../../record/agents/injection.ts';
import { GPU_CHOICES, GPU_HELP } from '../../../record/threads/gpu-plan.ts';
import { cardSize } from '../../flags/card-size.ts';
import { argument, numberBetween } from '../../flags/parse.ts';
import { parseSizesMoment } from '../sizes/moment.ts';

const seconds = numberBetween(0, Number.POSITIVE_INFINITY, 'seconds');
const size = argument(parseSize);

/**
 * Flags of `record` that a sweep hands on to each run. They are judged here, before anything runs,
 * and go on as they were written.
 */
const FLAGS: readonly {
  flags: string;
  about: string;
  check?: (text: string) => unknown;
  choices?: readonly string[];
  /** Where the flag has no word of its own. */
  preset?: string;
}[] = [
  {
    flags: '--rate <Hz>',
    about: 'samples a second (100)',
    check: numberBetween(1, 1000, 'a rate in Hz'),
  },
  { flags: '--before <seconds>', about: 'how long to watch before each run (1)', check: seconds },
  { flags: '--after <seconds>', about: 'how long to watch after each run (1)', check: seconds },
  {
    flags: '--duration <seconds>',
    about: 'end each run after this time',
    check: numberBetween(0.01, 1e9, 'seconds'),
  },
  { flags: '--memory-limit <size>', about: 'end a run that holds more', check: size },
  { flags: '--swap-limit <size>', about: 'end a run that has more swapped out', check: size },
  { flags: '--max-disk <size>', about: 'size of each recording at most (1GiB)', check: size },
  {
    flags: '--gpu <how>',
    about: `${GPU_HELP} (auto)`,
    check: oneOf(GPU_CHOICES),
    choices: GPU_CHOICES,
  },
  {
    flags: '--agent <how>',
    about: 'look into Python programs that use torch (auto)',
    check: oneOf(AGENT_CHOICES),
    choices: AGENT_CHOICES,
  },
  {
    flags: '--gpu-limit <size>',
    about: 'hold torch to a card of this size in each run',
    check: argument(cardSize),
  },
  {
    flags: '--sizes [moment]',
    about:
      'a column for each part of what explains the size of a run: at its exit, or at iteration=N',
    check: argument(parseSizesMoment),
    preset: 'exit',
  },
  {
    flags: '--stop-after <n>',
    about: 'end each run politely after n iterations',
    check: numberBetween(1, 1e12, 'a number of iterations'),
  },
  {
    flags: '--log <file>',
    about: 'also look for iterations in a log that the command writes; may hold {name}',
  },
  {
    flags: '--mark <regex>',
    about: 'make marks of matching lines (repeatable)',
    check: argument(parseMarkPattern),
  },
];

function oneOf(choices: readonly string[]): (text: string) => void {
  return argument((text) => {
    if (!choices.includes(text)) throw new UserError(`expected one of ${choices.join(', ')}`);
  });
}

/** Adds them to a command. */
export function addRecordFlags(command: Command): Command {
  for (const { flags, about, check, choices, preset } of FLAGS) {
    const option = new Option(flags, about).argParser(
      (text: string, before: string[] | undefined) => {
        check?.(text);
        return [...(before ?? []), text];
      },
    );
    if (choices) option.argChoices = [...choices];
    command.addOption(preset === undefined ? option : option.preset(preset));
  }
  return command;
}

/** Those that were given, as words for `record`; of any but `--mark` the last one counts, as there. */
export function recordWords(given: Readonly<Record<string, unknown>>): string[] {
  return FLAGS.flatMap(({ flags }) => {
    const option = new Option(flags);
    const texts = given[option.attributeName()];
    if (!Array.isArray(texts)) return [];
    const counted = option.long === '--mark' ? texts : texts.slice(-1);
    return counted.flatMap((text: string) => [option.long!, text]);
  });
}
