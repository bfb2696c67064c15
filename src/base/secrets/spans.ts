import type { Suspicion } from './names.ts';
import { isSecretValue, looksRandom } from './values.ts';

/** Where a value stands in a text. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** How a value is written. */
export interface Style {
  readonly name: string;
  /** Behind `--name`, as a word of its own or not. */
  readonly option: boolean;
  /** Behind a colon, as in YAML, JSON and headers. */
  readonly colon: boolean;
}

const SCHEME =
  /^(bearer|basic|token|digest|negotiate|apikey|api-key|key|aws4-hmac-sha256|bot|jwt|ntlm|oauth)$/i;
/** What people make up may have spaces in it. */
const PHRASE = /pass(?:word|wd|phrase|code)$|mnemonic|seed.?phrase$/i;
const OPENING = /^(?:[fbru]{1,2}|\$)?(\\*)("""|'''|["'`])/i;
/** A value that another one is joined to: `"a" + "b"`. */
const JOINED = /^\s*[+.]?\s*(?:[fbru]{1,2})?(["'`])/i;
const OPTION = /^(?:--[a-z][a-z0-9-]*(?:=|$)|-[A-Za-z]$)/;
/** A type stands between: `password: str = "x"`. */
const TYPED = /^[A-Za-z_][\w.[\], |]{0,60}?\s*=\s*(?=[fbru]{0,2}\\*["'`])/;

/** The secret that begins here; null: what begins here is none. */
export function valueSpan(
  text: string,
  start: number,
  suspicion: Suspicion,
  style: Style,
): Span | null {
  const ahead = text.slice(start, start + 100);
  const block = style.colon && /^[|>][+-]?(?:[ \t]*\r?\n|[ \t]{2,}(?=\S))/.exec(ahead);
  if (block) return blockSpan(text, start + block[0].length);
  const typed = style.colon && TYPED.exec(ahead);
  if (typed) return valueSpan(text, start + typed[0].length, suspicion, style);
  const open = OPENING.exec(ahead);
  if (open) return quotedSpan(text, start + open[0].length, open[1]! + open[2]!, suspicion);
  if (/^[[({]/.test(ahead)) return listSpan(text, start, suspicion);
  const to = style.colon && PHRASE.test(style.name) ? phraseEnd(text, start) : bareEnd(text, start);
  const value = text.slice(start, to);
  // The next option is no value, nor is a single letter behind a dash.
  if (style.option && OPTION.test(value)) return null;
  const scheme = SCHEME.test(value) && /^[ \t]+(?=[^\s"'`,;])/.exec(text.slice(to, to + 40));
  if (scheme) {
    const next = to + scheme[0].length;
    return checked(text, next, bareEnd(text, next), 'sure', false);
  }
  return checked(text, start, to, suspicion, false);
}

/** A word that follows in prose, without what ends the sentence. */
export function wordSpan(text: string, start: number): Span {
  const to = bareEnd(text, start);
  const word = text.slice(start, to).replace(/[.:!?]+$/, '');
  return { from: start, to: start + word.length };
}

/** What stands between two tags. */
export function taggedSpan(text: string, start: number, suspicion: Suspicion): Span | null {
  return checked(text, start, text.indexOf('<', start), suspicion, true);
}

/** To the end of a header's line. The scheme stays: `Authorization: Bearer ***`. */
export function headerSpan(text: string, start: number): Span | null {
  const quote = /^\\*["'`]/.exec(text.slice(start, start + 8))?.[0] ?? '';
  let from = start + quote.length;
  const scheme = /^([A-Za-z][\w-]*)[ \t]+(?=\S)/.exec(text.slice(from, from + 60));
  if (scheme && SCHEME.test(scheme[1]!)) from += scheme[0].length;
  const joined = scheme && /^\\*["'`]\s*[+.]\s*(?:f)?\\*(["'`])/.exec(text.slice(from, from + 20));
  if (joined) return quotedSpan(text, from + joined[0].length, joined[1]!, 'sure');
  // The parts of a digest are in quotes.
  const end = /^digest$/i.test(scheme?.[1] ?? '') ? /[\r\n]|$/ : /[\r\n"'`]|\\["'nr]|$/;
  const to = from + end.exec(text.slice(from))!.index;
  return isSecretValue(text.slice(from, to).trim(), 'sure') ? { from, to } : null;
}

/** A cookie has a name: `cookie: 3 chips` is none. */
export function cookieSpan(text: string, start: number): Span | null {
  const found = headerSpan(text, start);
  const value = found && text.slice(found.from, found.to);
  return value && (value.includes('=') || looksRandom(value.trim())) ? found : null;
}

function checked(
  text: string,
  from: number,
  end: number,
  suspicion: Suspicion,
  literal: boolean,
): Span | null {
  const to = end < 0 ? text.length : end;
  return isSecretValue(text.slice(from, to), suspicion, literal) ? { from, to } : null;
}

/** In quotes, with all that is joined to it. */
function quotedSpan(text: string, from: number, mark: string, suspicion: Suspicion): Span | null {
  const found = checked(text, from, closing(text, from, mark), suspicion, true);
  if (!found) return null;
  let { to } = found;
  for (;;) {
    const after = to + mark.length;
    const joined = /^\s*[+.]?\s*["'`]/.test(text.slice(after, after + 8))
      ? JOINED.exec(text.slice(after, after + 12))
      : null;
    if (!joined || mark.length > 1) return { from, to };
    const end = closing(text, after + joined[0].length, joined[1]!);
    if (end < 0) return { from, to: text.length };
    to = end;
  }
}

/** `auth=("me", "x")`, `credentials = ["a", "b"]`: texts alone. */
function listSpan(text: string, start: number, suspicion: Suspicion): Span | null {
  if (suspicion === 'maybe' || suspicion === 'none') return null;
  const list = /^[[(](?:\s*["'][^"'\n]{1,200}["']\s*,?){1,20}\s*[\])]/.exec(
    text.slice(start, start + 4000),
  );
  return list ? { from: start + 1, to: start + list[0].length - 1 } : null;
}

/** Lines of a YAML block, which are deeper than what follows it; a word where the lines were joined. */
function blockSpan(text: string, start: number): Span | null {
  if (text[start - 1] !== '\n') return wordSpan(text, start);
  const indent = /^[ \t]+/.exec(text.slice(start, start + 80))?.[0];
  if (indent === undefined) return null;
  let to = start;
  while (
    to < text.length &&
    (text.startsWith(indent, to) || /^\r?\n/.test(text.slice(to, to + 2)))
  ) {
    const next = text.indexOf('\n', to);
    to = next < 0 ? text.length : next + 1;
  }
  return { from: start + indent.length, to: text[to - 1] === '\n' ? to - 1 : to };
}

/** Where a quotation ends; -1 where it does not. */
function closing(text: string, from: number, mark: string): number {
  for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

const VARIABLE = /^(?:\$\{[^}\n]*\}|\$\([^)\n]*\)|\{\{[^}\n]*\}\})/;
const BARE_END = /[\s"'`,;&|)}\]<>]/g;

function bareEnd(text: string, start: number): number {
  const variable = VARIABLE.exec(text.slice(start, start + 200));
  if (variable) return start + variable[0].length;
  BARE_END.lastIndex = start;
  return BARE_END.exec(text)?.index ?? text.length;
}

const PHRASE_END = /[\r\n"'`,;&|)}\]<>]|\\[nr]|\s#|$/g;

function phraseEnd(text: string, start: number): number {
  PHRASE_END.lastIndex = start;
  return PHRASE_END.exec(text)!.index;
}
