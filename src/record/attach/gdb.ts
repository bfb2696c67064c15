import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { UserError } from '../../base/errors.ts';

const PATIENCE_MS = 20_000;
/** Nothing of the user's or the program's own is run or fetched, and of symbols no more is read than names. */
const SETTINGS = [
  'auto-solib-add off',
  'auto-load off',
  'debuginfod enabled off',
  'confirm off',
  'height 0',
  'width 0',
  'print thread-events off',
  'print inferior-events off',
  'exec-file-mismatch off',
];

/**
 * A gdb that is told one command after the other. However we end, it reads the end of its orders, lets the
 * program go and ends too; it is never killed, as it could be in the midst of a call.
 */
export class Gdb {
  readonly #child: ChildProcessWithoutNullStreams;
  #said = '';
  #complaints = '';
  #asked = 0;
  #look: () => void = () => {};
  #isOver = false;

  constructor() {
    const words = ['-q', '-nx', '-nw', '--readnever'];
    for (const setting of SETTINGS) words.push('-iex', `set ${setting}`);
    // Of a session of its own: an interrupt at our terminal is none of its.
    this.#child = spawn('gdb', words, { detached: true, stdio: 'pipe' });
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.on('data', (part: Buffer) => {
      this.#said += part;
      this.#look();
    });
    this.#child.stderr.on('data', (part: Buffer) => (this.#complaints += part));
    const over = () => {
      this.#isOver = true;
      this.#look();
    };
    this.#child.once('error', over);
    this.#child.once('close', over);
    // Signals that come for the program meanwhile are the program's.
    this.#child.stdin.write('handle all nostop noprint pass\n');
  }

  /** What it said to a command; what it had to complain of is in `complaints`. */
  async ask(command: string): Promise<string> {
    const mark = `~${++this.#asked}~`;
    this.#said = '';
    this.#complaints = '';
    this.#child.stdin.write(`${command}\necho \\n${mark}\\n\n`);
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#child.stdin.end();
        reject(
          new UserError(`gdb does not come back from: ${command.slice(0, 60)}`, {
            hint: 'it lets the program go as soon as it does',
          }),
        );
      }, PATIENCE_MS);
      this.#look = () => {
        if (!this.#isOver && !this.#said.includes(mark)) return;
        clearTimeout(timer);
        if (this.#isOver) reject(new UserError(`gdb has ended: ${this.#lastWords()}`));
        else resolve();
      };
      this.#look();
    });
    return this.#said;
  }

  /** The number that an expression of C has; null where gdb knows none. */
  async number(expression: string): Promise<number | null> {
    return (await this.numbers([expression]))[0]!;
  }

  async numbers(expressions: readonly string[]): Promise<(number | null)[]> {
    const lines = expressions.map((one, i) => `printf "${i} = %ld\\n", (long)(${one})`);
    const text = await this.ask(lines.join('\n'));
    const found = new Map<string, number>();
    for (const [, i, value] of text.matchAll(/(\d+) = (-?\d+)$/gm)) found.set(i!, Number(value));
    return expressions.map((_, i) => found.get(String(i)) ?? null);
  }

  get complaints(): string {
    return this.#complaints;
  }

  end(): void {
    this.#child.stdin.end();
  }

  #lastWords(): string {
    return this.#complaints.trim().split('\n').at(-1)?.slice(0, 200) || 'it did not say why';
  }
}
