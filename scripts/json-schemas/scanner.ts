/** A word, a text, a number or a sign of TypeScript. */
export interface Token {
  readonly kind: 'name' | 'text' | 'number' | 'sign' | 'end';
  readonly text: string;
  /** What the doc comment right before it says. */
  readonly doc: string | null;
}

const SPACE = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const TOKEN = /([A-Za-z_$][\w$]*)|'((?:[^'\\]|\\.)*)'|(\d[\d_]*(?:\.\d+)?)|(\.\.\.|=>|[^\s\w'])/y;

/** Reads tokens from a place in a file on, one at a time: what comes after a declaration is not looked at. */
export class Scanner {
  readonly #text: string;
  readonly #file: string;
  #at: number;
  #next: Token | null = null;

  constructor(file: string, text: string, at: number) {
    this.#file = file;
    this.#text = text;
    this.#at = at;
  }

  peek(): Token {
    this.#next ??= this.#read();
    return this.#next;
  }

  take(): Token {
    const token = this.peek();
    this.#next = null;
    return token;
  }

  /** Takes the token if it reads so. */
  skip(text: string): boolean {
    const { kind, text: found } = this.peek();
    if (kind === 'text' || found !== text) return false;
    this.take();
    return true;
  }

  expect(text: string): void {
    if (!this.skip(text)) throw this.wrong(`'${text}'`);
  }

  name(): string {
    if (this.peek().kind !== 'name') throw this.wrong('a name');
    return this.take().text;
  }

  wrong(expected: string): Error {
    const line = this.#text.slice(0, this.#at).split('\n').length;
    const found = this.peek().text || 'the end';
    return new Error(`${this.#file}, line ${line}: expected ${expected}, found ${found}`);
  }

  #read(): Token {
    let doc: string | null = null;
    for (;;) {
      SPACE.lastIndex = this.#at;
      const space = SPACE.exec(this.#text)?.[0];
      if (space === undefined) break;
      this.#at += space.length;
      if (space.startsWith('/**')) doc = docText(space);
    }
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.#text);
    if (!found) return { kind: 'end', text: '', doc };
    this.#at += found[0].length;
    const [, name, text, number, sign] = found;
    if (name !== undefined) return { kind: 'name', text: name, doc };
    if (text !== undefined) return { kind: 'text', text: text.replace(/\\(.)/g, '$1'), doc };
    if (number !== undefined) return { kind: 'number', text: number.replaceAll('_', ''), doc };
    return { kind: 'sign', text: sign!, doc };
  }
}

function docText(comment: string): string {
  const lines = comment.slice(3, -2).split('\n');
  return lines
    .map((line) => line.replace(/^\s*\*?\s?/, '').trim())
    .join(' ')
    .trim();
}
