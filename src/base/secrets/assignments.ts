import { type Suspicion, suspicionOf } from './names.ts';
import { cookieSpan, headerSpan, type Span, taggedSpan, valueSpan, wordSpan } from './spans.ts';
import { HIDDEN, looksRandom } from './values.ts';

/**
 * Values that stand behind a name, as every language and tool writes them: `api_key="x"`, `{"apiKey": "x"}`,
 * `--token x`, `password: x`, `?sig=x&`, `<password>x</password>`, `setenv("TOKEN", "x")`.
 */

const SPACE = '(?:[ \\t]|\\\\\\r?\\n)';
const QUOTE = '\\\\*["\'`]';
/** What leads from a name to its value. */
const LEADS = [
  `(?<assigned>(?:${QUOTE})?\\)?\\]?${SPACE}*(?:=>|->|:=|<-|\\?=|[=!]==?|=|:(?!:|\\/\\/|\\\\(?!["'\`])))\\s*)`,
  `(?<listed>${QUOTE}\\s*,\\s*(?=${QUOTE}))`,
  `(?<tagged>>(?=[^<>]{1,300}<\\/))`,
  `(?<called>\\(\\s*(?=[fbru]?["'\`]))`,
  `(?<told>${SPACE}+(?:is|was)${SPACE}+:?${SPACE}*)`,
  `(?<quoted>${SPACE}+(?=["'\`]))`,
  `(?<spaced>${SPACE}+(?=[^\\s=:]))`,
];
/** The name is taken whole (a look ahead is not tried again), so that no text takes long. */
const NAMED = new RegExp(
  `(?<![A-Za-z0-9_])(?=(?<name>[A-Za-z_][\\w.-]{0,120}))\\k<name>(?:${LEADS.join('|')})`,
  'g',
);
/** Everything behind these, to the end of the line, is the value. */
const HEADER = /^(?:proxy-)?authorization$/i;
const COOKIE = /^(?:set-)?cookie$/i;
/** What makes a secret of a text, where it is called. */
const MAKER = /^(?:encrypted)?password$|^passwd$|^secret(?:str|string|value)?$|^api_?key$/i;

export function withoutAssigned(text: string): string {
  let said = '';
  let done = 0;
  NAMED.lastIndex = 0;
  for (let found = NAMED.exec(text); found; found = NAMED.exec(text)) {
    const secret = secretBehind(text, found, NAMED.lastIndex);
    if (secret) {
      said += text.slice(done, secret.from) + HIDDEN;
      done = secret.to;
      NAMED.lastIndex = Math.max(secret.to, found.index + 1);
    } else {
      // A value may be an assignment in turn: `--set auth.password=x`.
      const { length } = found.groups!.name!;
      NAMED.lastIndex = Math.min(NAMED.lastIndex, found.index + length + 1);
    }
  }
  return said + text.slice(done);
}

/** Where the secret behind a name is; null: there is none. */
function secretBehind(text: string, found: RegExpExecArray, start: number): Span | null {
  const lead = found.groups as Record<string, string | undefined>;
  const name = lead.name!;
  const before = text.slice(Math.max(0, found.index - 24), found.index);
  const suspicion = suspicionIn(before, name);
  if (suspicion === 'none') return null;
  const option = /(?:^|[\s"'`(,=[])--?$/.test(before);
  const style = { name, option, colon: lead.assigned?.includes(':') ?? false };
  if (lead.assigned !== undefined) {
    if (leadsNowhere(text, lead.assigned, before, start)) return null;
    if (HEADER.test(name)) return headerSpan(text, start);
    if (COOKIE.test(name)) return cookieSpan(text, start);
    return valueSpan(text, start, ofAssignment(lead.assigned, name, option, suspicion), style);
  }
  if (lead.tagged !== undefined) return taggedSpan(text, start, suspicion);
  if (option) return valueSpan(text, start, suspicion, style);
  if (lead.called !== undefined)
    return MAKER.test(name) ? valueSpan(text, start, 'sure', style) : null;
  if (lead.listed !== undefined) {
    // An argument: `setenv("TOKEN", "x")`. Else one of several names, as of columns.
    return valueSpan(
      text,
      start,
      /\(\s*\\*["'`]$/.test(before) ? suspicion : weaker(suspicion),
      style,
    );
  }
  if (lead.quoted !== undefined) {
    return valueSpan(text, start, suspicion === 'sure' ? suspicion : 'maybe', style);
  }
  return inProse(text, name, suspicion, start, lead.told !== undefined);
}

/** `API key: x` is two words, of which the second alone says little. */
function suspicionIn(before: string, name: string): Suspicion {
  const alone = suspicionOf(name);
  if (alone !== 'likely') return alone;
  const word = /([A-Za-z]{2,20}) $/.exec(before)?.[1];
  return word !== undefined && suspicionOf(`${word}_${name}`) === 'sure' ? 'sure' : alone;
}

/** A comparison with something else, the end of a line, or of a text that asks: `input("Password: ")`. */
function leadsNowhere(text: string, lead: string, before: string, start: number): boolean {
  const quoted = /^[fbru]?\\*["'`]/.test(text.slice(start, start + 4));
  const closes = /["'`]$/.test(before) && text[start] === before.at(-1) && !/["'`]/.test(lead);
  return closes || (!quoted && (/[=!]=/.test(lead) || /\n/.test(lead)));
}

/** `key=value` is how anything is written, `sorted(x, key=f)` too; and `token->next` is C. */
function ofAssignment(
  lead: string,
  name: string,
  option: boolean,
  suspicion: Suspicion,
): Suspicion {
  const common = (/^key$/i.test(name) && !option && suspicion !== 'sure') || lead.includes('->');
  return common ? 'maybe' : suspicion;
}

const weaker = (suspicion: Suspicion): Suspicion => (suspicion === 'maybe' ? suspicion : 'likely');

/** `the password is x1y2z3`, `login me password x` of a .netrc. */
function inProse(
  text: string,
  name: string,
  suspicion: Suspicion,
  start: number,
  told: boolean,
): Span | null {
  if (told && /^["'`]/.test(text[start] ?? '')) {
    return valueSpan(text, start, suspicion, { name, option: false, colon: false });
  }
  const word = wordSpan(text, start);
  const value = text.slice(word.from, word.to);
  const netrc = /\blogin\s+\S{1,100}\s+$/.test(text.slice(Math.max(0, start - 130), start - 9));
  if (name === 'password' && netrc) return word;
  if (/[=:(]/.test(value)) return null;
  if (told) return suspicion === 'sure' || suspicion === 'strong' ? ifMixed(value, word) : null;
  // What a cache or a table finds something by is often a sum.
  if (suspicion !== 'sure' && suspicion !== 'strong' && /^[0-9a-f]+$/i.test(value)) return null;
  return value.length >= 10 && looksRandom(value) ? word : null;
}

/** Prose goes on in words; a secret has figures or capitals among its letters. */
const ifMixed = (value: string, word: Span): Span | null =>
  /\d/.test(value) || /[a-z][A-Z]/.test(value) ? word : null;
