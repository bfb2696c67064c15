import { redactPath } from './paths.ts';
import { Placeholders } from './placeholders.ts';
import { PUBLIC_PACKAGES, PYTHON_MODULES } from './public-packages.ts';
import {
  isKnown,
  isOrdinary,
  isOrdinaryPart,
  isShort,
  lettersOf,
  MEANING,
  partsOf,
  TOKEN,
} from './words.ts';

// Bounded, as each place of a long word may begin one: no scheme is longer, and no local part may be.
const URL = /\b[a-z][a-z0-9+.-]{0,40}:\/\/[^\s'"<>]+/gi;
/** Also `me@gpu9`; `react@18.2.0` is a version. */
const MAIL = /\b[\w.+-]{1,64}@[A-Za-z_][\w-]*(\.[\w-]+)*\b/g;
/** From a slash, a drive or `~/` on, at the start of a word. */
const PATH = /(?<![\w.:/\\~-])(?:~|[A-Za-z]:)?[/\\][^\s'"<>|:;,()[\]{}=]+/g;
const HOME =
  /(?:^|[/\\])(?:homes?\d*|users|people)[/\\]([^/\\\s'":;,]+)|(?<![\w/])~([A-Za-z_][\w-]*)(?=[/\\])/gi;
/** A single letter is part of too much, and these say nothing of anybody. */
const NOBODY =
  /^(.?|root|user|users|host|localhost|nobody|shared|admin|ubuntu|runner|me|my|no|is|in|on|at|to|of|or)$/i;
/** Longer ones may be somebody's telephone. */
const SMALL_NUMBER = /^-?\d{1,4}(\.\d{1,4})?$/;
/** What a program calls its variables, classes and attributes. */
const NAME = /^[\p{L}_$][\p{L}\p{M}\p{N}_$.]{0,199}$/u;

/**
 * Takes paths, names and texts of people, machines and programs out. The same thing gets the same placeholder everywhere
 * and another another, so that call stacks, classes and processes can still be told apart and compared.
 */
export class Redactor {
  readonly #placeholders = new Placeholders();
  readonly #users = new Set<string>();
  readonly #hosts = new Set<string>();
  readonly #names: { readonly pattern: RegExp; readonly by: string; readonly isUser: boolean }[] =
    [];
  readonly #publicFunctions = new Set<string>();
  readonly #pathNames = {
    user: (name: string) => this.#placeholders.of('user', name),
    directory: (name: string) => this.#placeholders.of('dir', name),
    file: (name: string) => this.#placeholders.of('file', name),
    code: (name: string) => this.words(name),
  };

  /** Names to look for, of users and of machines; and functions of packages that anybody can look up, which keep theirs. */
  constructor(users: Iterable<string>, hosts: Iterable<string>, functions: Iterable<string> = []) {
    for (const name of functions) this.#publicFunctions.add(name);
    this.#know('host', hosts);
    this.#know('user', users);
  }

  /** A sentence of ours: what stands in it is replaced, the rest stays. */
  text(text: string): string {
    return this.#knownWords(this.names(this.#places(text)));
  }

  /** Somebody's own words: of all of them only ordinary ones stay. */
  words(text: string): string {
    return text
      .split(MEANING)
      .map((part, i) => (i % 2 === 1 ? part : part.replace(TOKEN, (token) => this.#token(token))))
      .join('');
  }

  /** The same for any text, in which there may be paths and addresses. */
  own(text: string): string {
    const pieces: string[] = [];
    // What stands for them is not looked at again.
    const put = (by: string) => `\0${pieces.push(by) - 1}\0`;
    const kept = this.names(this.#places(text, put), put);
    return kept
      .split(/\0(\d+)\0/)
      .map((part, i) => (i % 2 === 1 ? (pieces[Number(part)] ?? '') : this.words(part)))
      .join('');
  }

  /** A text that a program has as data: names stay names, anything else tells nothing any more. */
  content(text: string): string {
    if (!/[\p{L}\p{N}]/u.test(text) || SMALL_NUMBER.test(text)) return text;
    if (NAME.test(text.replace(/^(get|set|bound|async|static) /, ''))) return this.words(text);
    if (/^file:\/\/\//.test(text)) return `file://${this.path(text.slice(7))}`;
    if (/^(~?\/|[A-Za-z]:\\)\S+$/.test(text)) return this.path(text);
    const quotes = /^(b?(['"])).*\2$/s.exec(text);
    const by = this.#placeholders.of('text', text);
    return quotes ? `${quotes[1]}${by}${quotes[2]}` : by;
  }

  /** The name of a function, or of a C++ symbol. */
  functionName(name: string): string {
    if (this.#publicFunctions.has(name)) return name;
    return name.replace(/[\p{L}\p{N}_$~]+(?:::[\p{L}\p{N}_$~]+)*/gu, (symbol) =>
      isPublicSymbol(symbol) ? symbol : this.words(symbol),
    );
  }

  /** `package.module.Class`: those of public packages stay. */
  typeName(name: string): string {
    const first = name.split('.', 1)[0]!;
    const isPublic = PUBLIC_PACKAGES.has(first) || PYTHON_MODULES.has(first);
    return isPublic && name.includes('.') ? name : this.words(name);
  }

  /** The names of people and machines alone; `put` as in `#places`, for those of machines alone. */
  names(text: string, put?: (by: string) => string): string {
    return this.#names.reduce(
      (said, { pattern, by, isUser }) =>
        isUser && put
          ? said
          : said.replace(pattern, (found, at: number) =>
              isToken(said, at, found.length, isUser) ? (put?.(by) ?? by) : found,
            ),
      text,
    );
  }

  /** A name that is known to be a machine's, however short. */
  host(name: string): string {
    return name === '' ? '' : this.#placeholders.of('host', name.toLowerCase());
  }

  /** A command line, in which words with a slash are paths even where they do not begin with it. */
  command(text: string): string {
    return text.replace(/[^\s'"]+/g, (word) => this.word(word));
  }

  /** One word of a command line, as `--data=runs/x`. */
  word(word: string): string {
    const [, option = '', value = ''] = /^(-*[\w-]+=|)(.*)$/s.exec(word) ?? [];
    const relative = /[/\\]/.test(value) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(value);
    if (relative) return this.words(option) + this.path(value);
    const code = /^[\w.-]+\.(py|[cm]?[jt]s|sh|ipynb)$/.exec(value);
    return code ? this.words(option) + this.path(value) : this.own(word);
  }

  /** Directory by directory, so that what lies in one place still does; `<string>` and the like are none. */
  path(path: string): string {
    if (/^<.*>/s.test(path)) return this.words(path);
    return redactPath(path, this.#pathNames);
  }

  /** `put`: what stands in the text in place of what was found. */
  #places(text: string, put: (by: string) => string = (by) => by): string {
    const named = text
      .replace(URL, (url) => put(this.#placeholders.of('url', url)))
      .replace(MAIL, (mail) => put(this.#placeholders.of('mail', mail)));
    // The name of a file may have spaces in it: a text that begins as a path is one.
    return /^\/(?!.*\s[/~])/s.test(named)
      ? put(this.path(named))
      : named.replace(PATH, (path) => put(this.path(path)));
  }

  #token(token: string): string {
    const small = token.toLowerCase();
    if (this.#hosts.has(small)) return this.#placeholders.of('host', small);
    if (isKnown(token) && !this.#users.has(token)) return token;
    const parts = partsOf(token);
    const isUser = (part: string) => this.#users.has(lettersOf(part).toLowerCase());
    if (isOrdinary(token, parts) && !parts.some(isUser)) return token;
    // Keys and hashes, and letters of scripts without capitals, are no words one by one.
    if (parts.length > 6 || parts.filter(isShort).length > 2)
      return this.#placeholders.of('name', token);
    return parts
      .map((part) => {
        if (isUser(part)) return this.#placeholders.of('user', part);
        return isOrdinaryPart(part) && !isShort(part) ? part : this.#placeholders.of('name', part);
      })
      .join('');
  }

  /** In sentences of ours, the words that were taken out elsewhere. */
  #knownWords(text: string): string {
    return text.replace(TOKEN, (token) =>
      partsOf(token)
        .map((part) => this.#placeholders.known('name', part) ?? part)
        .join(''),
    );
  }

  #know(kind: 'host' | 'user', names: Iterable<string>): void {
    // Longer ones first: a machine's full name before its short one.
    const sorted = [...new Set(names)].sort((a, b) => b.length - a.length);
    for (const name of sorted) {
      if (NOBODY.test(name)) continue;
      (kind === 'user' ? this.#users : this.#hosts).add(name.toLowerCase());
      const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      const by = this.#placeholders.of(kind, name.toLowerCase());
      this.#names.push({ pattern: new RegExp(literal, 'gi'), by, isUser: kind === 'user' });
    }
  }
}

/** Names of C and C++ that belong to PyTorch, CUDA, Python and the system. */
function isPublicSymbol(symbol: string): boolean {
  return (
    /^(at|c10|c10d|c10_npu|caffe2|std|torch|pybind11|__gnu_cxx|nccl|cub|thrust|cutlass)::/.test(
      symbol,
    ) ||
    /^(_?Py[A-Z_]\w*|_?_?libc_\w+|_start|start_thread|clone3?|THP\w+|cublas\w+|cudnn\w+|cuda[A-Z]\w+|cu[A-Z]\w+)$/.test(
      symbol,
    )
  );
}

/**
 * Whether a name stands for itself: between anything but letters and figures (so `_` and `-` end it), or where
 * small letters become capitals. `gpu7` is not in `gpu70`, but `bob2` tells of bob.
 */
function isToken(text: string, at: number, length: number, isUser: boolean): boolean {
  const [before = '', first = ''] = [text[at - 1], text[at]];
  const [last = '', after = ''] = [text[at + length - 1], text[at + length]];
  const begins = !/[A-Za-z0-9]/.test(before) || (/[a-z0-9]/.test(before) && /[A-Z]/.test(first));
  const ends =
    !/[A-Za-z0-9]/.test(after) ||
    (/[a-z0-9]/.test(last) && /[A-Z]/.test(after)) ||
    (isUser && /\d/.test(after));
  return begins && ends;
}

/** The people whose home folders a text names. */
export function usersIn(text: string): string[] {
  return [...text.matchAll(HOME)].map(([, folder, tilde]) => (folder ?? tilde)!);
}
