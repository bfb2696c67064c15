import { type Command, Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import { argument, several } from './parse.ts';
import { RECORD_FLAGS, type RecordFlag, type RecordRequest } from './record.ts';

type OptionName = keyof RecordRequest;

const ENTRIES = Object.entries(RECORD_FLAGS) as [OptionName, RecordFlag<unknown>][];

/** What commander makes of a command line: values by the flags' own names. */
export type GivenFlags = Readonly<Record<string, unknown>>;

/** Declares the flags for `record`, or those of them that `check` takes. */
export function addRecordFlags(command: Command, verb: 'record' | 'check'): Command {
  for (const [, flag] of ENTRIES) {
    const { help, parse } = verb === 'record' ? flag : { parse: flag.parse, ...flag.check };
    if (help === undefined) continue;
    const { choices, defaultValue, preset } = flag;
    const option = new Option(flag.flag, help);
    if (choices) option.choices(choices);
    if (parse) setParser(option, flag, argument(parse));
    if (preset !== undefined) option.preset(preset);
    // Help shows no default of a flag without a value.
    if (defaultValue !== null && typeof defaultValue !== 'boolean')
      option.default(defaultValue, flag.defaultText);
    command.addOption(option);
  }
  return command;
}

/** What was given to `record`, by the options that it sets. */
export function recordRequest(given: GivenFlags): RecordRequest {
  const values = ENTRIES.map(([name, flag]) => [name, given[keyOf(flag)] ?? flag.defaultValue]);
  return Object.fromEntries(values) as RecordRequest;
}

/** Flags in a request that need the agent inside the program, as they are written. */
export function agentFlags(request: RecordRequest): string[] {
  return ENTRIES.filter(
    ([name, { needsAgent, defaultValue }]) => needsAgent && request[name] !== defaultValue,
  ).map(([, flag]) => longOf(flag));
}

/** Words for `record` that set these options; of a list, each value. */
export function recordWords(
  options: Partial<
    Record<Exclude<OptionName, 'watch'>, string | number | boolean | readonly string[]>
  >,
): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const flag = longOf(RECORD_FLAGS[name as OptionName]);
    if (typeof value === 'boolean') return value ? [flag] : [];
    return [value].flat().flatMap((text) => [flag, String(text)]);
  });
}

/** Flags that a sweep forwards to each run, in the order of its help. */
const FORWARDED = ENTRIES.reduce<typeof ENTRIES>((before, entry) => {
  const { sweep } = entry[1];
  if (!sweep) return before;
  const ahead = before.findIndex(([name]) => name === sweep.ahead);
  return before.toSpliced(ahead < 0 ? before.length : ahead, 0, entry);
}, []);

/** Declares them for `sweep`: checked before anything runs, and kept as they are written. */
export function addForwardedFlags(command: Command): Command {
  for (const [, flag] of FORWARDED) {
    const { choices, parse = choices && oneOf(choices), preset } = flag;
    const checked = (text: string) => {
      if (parse) argument(parse)(text);
      return text;
    };
    const option = new Option(flag.flag, flag.sweep!.help);
    setParser(option, flag, checked);
    if (choices) option.argChoices = [...choices];
    if (preset !== undefined) option.preset(preset);
    command.addOption(option);
  }
  return command;
}

/** Those that were given, as words for `record`; of a flag given twice the last counts, as there. */
export function forwardedWords(given: GivenFlags): string[] {
  const written = FORWARDED.map(([name, flag]) => [name, given[keyOf(flag)]]);
  return recordWords(Object.fromEntries(written.filter(([, value]) => value !== undefined)));
}

function oneOf(choices: readonly string[]): (text: string) => void {
  return (text) => {
    if (!choices.includes(text)) throw new UserError(`expected one of ${choices.join(', ')}`);
  };
}

/** A flag with a list as its value can be given several times. */
function setParser(
  option: Option,
  { defaultValue }: RecordFlag<unknown>,
  parse: (text: string) => unknown,
): void {
  if (Array.isArray(defaultValue)) option.argParser(several(parse));
  else option.argParser(parse);
}

const keyOf = ({ flag }: RecordFlag<unknown>) => new Option(flag).attributeName();
const longOf = ({ flag }: Pick<RecordFlag<unknown>, 'flag'>) => new Option(flag).long!;
