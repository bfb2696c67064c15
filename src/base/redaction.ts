/** Directories that are the same on every machine. */
const SYSTEM = /^\/(usr|lib|lib64|bin|sbin|proc|sys)(\/|$)/;
/** What follows is a package's own: it tells nothing of whoever installed it. */
const LIBRARY = /^(site-packages|dist-packages|node_modules|python\d[\d.]*)$/;
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

const URL = /\b[a-z][a-z0-9+.-]*:\/\/[^\s'"<>]+/gi;
const MAIL = /\b[\w.+-]+@[\w-]+(\.[\w-]+)+\b/g;
/** From a slash, a drive or `~/` on, at the start of a word. */
const PATH = /(?<![\w.:/\\~-])(?:~|[A-Za-z]:)?[/\\][^\s'"<>|:;,()[\]{}=]+/g;
const HOME = /(?:^|[/\\])(?:home|Users)[/\\]([^/\\\s'":;,]+)/g;
/** Shorter names are parts of too many words. */
const SHORTEST = 3;

/**
 * Takes paths, user and host names out of texts. The same thing gets the same placeholder everywhere, so
 * that call stacks and processes can still be told apart and compared.
 */
export class Redactor {
  readonly #placeholders = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #names: [RegExp, string][] = [];

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
    return this.#names.reduce((said, [name, by]) => said.replace(name, by), paths);
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
    const library = parts.findIndex((part) => LIBRARY.test(part));
    return parts
      .map((part, i) => {
        if (i % 2 === 1 || (library >= 0 && i >= library) || PLAIN.has(part)) return part;
        if (/^[A-Za-z]:$/.test(part) || /^(user|dir|file)\d+(\.\w+)?$/.test(part)) return part;
        const above = parts[i - 2];
        if (above === 'home' || above === 'Users') return this.#placeholder('user', part);
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
    for (const name of new Set(names)) {
      if (name.length < SHORTEST || name === 'root' || name === 'localhost') continue;
      const literal = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      const whole = new RegExp(`(?<![\\w-])${literal}(?![\\w-])`, 'gi');
      this.#names.push([whole, this.#placeholder(kind, name)]);
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

/** The people whose home folders a text names. */
export function usersIn(text: string): string[] {
  return [...text.matchAll(HOME)].map(([, name]) => name!);
}
