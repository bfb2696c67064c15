/** Directories that are the same on every machine; what is in /usr/local may be anybody's. */
const SYSTEM =
  /^\/(usr(?!\/local\/(?!bin|sbin|lib|share|include|etc|src|cuda|nvidia))|lib|lib64|bin|sbin|proc|sys)(\/|$)/;
/** What follows is a package's own: it tells nothing of whoever installed it. */
const LIBRARY = /^(site-packages|dist-packages|node_modules)$/;
/** Python's own modules, in `lib/python3.11`; anything else there is somebody's. */
const PYTHON = /^python3\.\d+t?$/;
const MODULE =
  /^(asyncio|collections|compression|concurrent|ctypes|curses|dbm|distutils|email|encodings|ensurepip|html|http|idlelib|importlib|json|lib-dynload|lib2to3|logging|multiprocessing|pathlib|pydoc_data|_pyrepl|re|resources|metadata|sqlite3|string|sysconfig|test|tkinter|tomllib|unittest|urllib|venv|wsgiref|xml|dom|etree|parsers|sax|xmlrpc|zipfile|zoneinfo|__pycache__)$/;
const PLAIN = new Set([
  '',
  '.',
  '..',
  '~',
  'home',
  'Users',
  'tmp',
  'var',
  'opt',
  'mnt',
  'dev',
  'shm',
  'root',
]);
/** Names of code are kept, as stacks would be worth nothing without them. */
const CODE =
  /\.(py|pyc|pyx|ipynb|[cm]?[jt]sx?|c|cc|cpp|cu|cuh|h|hpp|go|rs|java|jl|lua|r|sh|so(\.\d+)*)$/i;

// Bounded, as each place of a long word may begin one: no scheme is longer, and no local part may be.
const URL = /\b[a-z][a-z0-9+.-]{0,40}:\/\/[^\s'"<>]+/gi;
/** Also `me@gpu9`; `react@18.2.0` is a version. */
const MAIL = /\b[\w.+-]{1,64}@[A-Za-z_][\w-]*(\.[\w-]+)*\b/g;
/** From a slash, a drive or `~/` on, at the start of a word. */
const PATH = /(?<![\w.:/\\~-])(?:~|[A-Za-z]:)?[/\\][^\s'"<>|:;,()[\]{}=]+/g;
const HOME_FOLDER = /^(homes?\d*|users|people)$/i;
const HOME =
  /(?:^|[/\\])(?:homes?\d*|users|people)[/\\]([^/\\\s'":;,]+)|(?<![\w/])~([A-Za-z_][\w-]*)(?=[/\\])/gi;
/** A single letter is part of too much, and these say nothing of anybody. */
const NOBODY =
  /^(.?|root|user|users|host|localhost|nobody|shared|admin|ubuntu|runner|me|my|no|is|in|on|at|to|of|or)$/i;

/**
 * Takes paths, user and host names out of texts. The same thing gets the same placeholder everywhere, so
 * that call stacks and processes can still be told apart and compared.
 */
export class Redactor {
  readonly #placeholders = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #names: { readonly pattern: RegExp; readonly by: string; readonly isUser: boolean }[] =
    [];

  /** Names to look for: of users, and of machines. */
  constructor(users: Iterable<string>, hosts: Iterable<string>) {
    this.#know('host', hosts);
    this.#know('user', users);
  }

  /** Any text: what stands in it is replaced, the rest stays. */
  text(text: string): string {
    const named = text
      .replace(URL, (url) => this.#placeholder('url', url))
      .replace(MAIL, (mail) => this.#placeholder('mail', mail));
    // The name of a file may have spaces in it: a text that begins as a path is one.
    const paths = /^\/(?!.*\s[/~])/s.test(named)
      ? this.path(named)
      : named.replace(PATH, (path) => this.path(path));
    return this.names(paths);
  }

  /** The names alone. */
  names(text: string): string {
    return this.#names.reduce(
      (said, { pattern, by, isUser }) =>
        said.replace(pattern, (found, at: number) =>
          isToken(said, at, found.length, isUser) ? by : found,
        ),
      text,
    );
  }

  /** A name that is known to be a machine's, however short. */
  host(name: string): string {
    return name === '' ? '' : this.#placeholder('host', name);
  }

  /** A command line, in which words with a slash are paths even where they do not begin with it. */
  command(text: string): string {
    return text.replace(/[^\s'"]+/g, (word) => this.word(word));
  }

  /** One word of a command line, as `--data=runs/x`. */
  word(word: string): string {
    const [, option = '', value = ''] = /^(-*[\w-]+=|)(.*)$/s.exec(word) ?? [];
    const relative = /[/\\]/.test(value) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(value);
    return relative ? option + this.text(this.path(value)) : this.text(word);
  }

  /** Directory by directory, so that what lies in one place still does. */
  path(path: string): string {
    if (SYSTEM.test(path)) return path;
    const parts = path.split(/([/\\])/);
    const library = libraryIn(parts);
    return parts
      .map((part, i) => {
        if (i % 2 === 1 || i >= library || PLAIN.has(part)) return part;
        if (PYTHON.test(part) || (MODULE.test(part) && parts.some((one) => PYTHON.test(one))))
          return part;
        if (/^[A-Za-z]:$/.test(part) || /^(user|dir|file)\d+(\.\w+)?$/.test(part)) return part;
        const above = parts[i - 2];
        if (above !== undefined && HOME_FOLDER.test(above)) return this.#placeholder('user', part);
        if (i < parts.length - 1) return this.#placeholder('dir', part);
        return CODE.test(part) ? part : this.#file(part);
      })
      .join('');
  }

  #file(name: string): string {
    const ending = /\.\w{1,8}$/.exec(name)?.[0] ?? '';
    return this.#placeholder('file', name) + ending;
  }

  #know(kind: string, names: Iterable<string>): void {
    // Longer ones first: a machine's full name before its short one.
    const sorted = [...new Set(names)].sort((a, b) => b.length - a.length);
    for (const name of sorted) {
      if (NOBODY.test(name)) continue;
      const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      const pattern = new RegExp(literal, 'gi');
      this.#names.push({ pattern, by: this.#placeholder(kind, name), isUser: kind === 'user' });
    }
  }

  #placeholder(kind: string, what: string): string {
    const key = `${kind} ${what.toLowerCase()}`;
    let found = this.#placeholders.get(key);
    if (found === undefined) {
      const count = (this.#counts.get(kind) ?? 0) + 1;
      this.#counts.set(kind, count);
      found = `${kind}${count}`;
      this.#placeholders.set(key, found);
    }
    return found;
  }
}

/** Where a library's own folders begin; past the end where there is none. */
function libraryIn(parts: readonly string[]): number {
  const at = parts.findIndex((part) => LIBRARY.test(part));
  return at < 0 ? parts.length : at;
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
