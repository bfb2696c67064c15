/**
 * Lines of one print statement that count something up in words which no recogniser knows: `indexed 300 documents`,
 * `[12/450] hardest 1.2`. They are alike but for their figures, and one of those rises by the same amount from line
 * to line. What is counted may be anything, files that are loaded too, so this is no iteration by itself.
 */
export class CountedLines {
  /** By what lines have in common; the one that was seen longest ago is first. */
  readonly #forms = new Map<string, Form>();
  #followed: Form | null = null;
  /** Lines since one counted. */
  #others = 0;

  /** The number that a line counts; null for one that counts nothing, or not yet for long enough. */
  see(line: string): number | null {
    const next = this.#followed?.goOn(line) ?? null;
    if (next !== null) {
      this.#others = 0;
      return next;
    }
    // A program that prints all the time and counts nothing is not read for ever.
    if (++this.#others > PATIENCE || line.length > LONGEST || !/\d/.test(line)) return null;
    const form = this.#formOf(line);
    const number = form.see(line);
    // One statement is followed at a time: the first that counted, as long as it does.
    if (number === null || (form !== this.#followed && this.#followed?.counts)) return null;
    this.#followed = form;
    this.#others = 0;
    return number;
  }

  #formOf(line: string): Form {
    const key = line.replace(FIGURE, '#');
    const form = this.#forms.get(key) ?? new Form();
    this.#forms.delete(key);
    this.#forms.set(key, form);
    if (this.#forms.size > MOST_FORMS) this.#forms.delete(this.#forms.keys().next().value!);
    return form;
  }
}

const PATIENCE = 5000;
const LONGEST = 400;
const MOST_FORMS = 16;
/** Words with a digit in them, numbers among them. */
const FIGURE = /[\w.+-]{0,80}\d[\w.+-]{0,80}/g;
/** So many lines in a row have to count by the same amount. */
const FEWEST_LINES = 5;
/** Larger ones are times, or sizes. */
const LARGEST = 1e9;
/**
 * A whole number that stands by itself: no part of a clock, a date, a version or a word, and nothing with a unit (`12s`, `45%`),
 * which tells time or size rather than work.
 */
const WHOLE = /(?<![\w.+]|\d[-:,/])\d{1,9}(?![\w%]|[.,:-]\d)/g;
const WHOLE_NEXT = new RegExp(WHOLE.source, 'y');

/** What the lines of one form counted so far. */
class Form {
  #last: number[] = [];
  /** By how much each figure rose at the last line, and for how many lines by just that. */
  #strides: number[] = [];
  #lines: number[] = [];
  /** Which of the figures counts, and the words before it. */
  #place = -1;
  #prefix = '';

  /** Whether one of its figures counts. */
  get counts(): boolean {
    return this.#place >= 0;
  }

  /** Quickly: a line that begins as the last one did, and has the very next number. */
  goOn(line: string): number | null {
    if (this.#place < 0 || !line.startsWith(this.#prefix)) return null;
    WHOLE_NEXT.lastIndex = this.#prefix.length;
    const number = Number(WHOLE_NEXT.exec(line)?.[0] ?? Number.NaN);
    if (number !== this.#last[this.#place]! + this.#strides[this.#place]!) return null;
    this.#last[this.#place] = number;
    return number;
  }

  see(line: string): number | null {
    const found = [...line.matchAll(WHOLE)];
    const numbers = found.map(([digits]) => Number(digits));
    this.#compare(numbers);
    this.#last = numbers;
    this.#place = this.#lines.findIndex((lines) => lines >= FEWEST_LINES);
    if (this.#place < 0) return null;
    this.#prefix = line.slice(0, found[this.#place]!.index);
    return numbers[this.#place]!;
  }

  #compare(numbers: readonly number[]): void {
    const before = this.#last;
    if (numbers.length !== before.length) {
      this.#strides = numbers.map(() => Number.NaN);
      this.#lines = numbers.map(() => 0);
      return;
    }
    numbers.forEach((number, i) => {
      const stride = number - before[i]!;
      const same = stride > 0 && stride === this.#strides[i] && number < LARGEST;
      this.#lines[i] = same ? this.#lines[i]! + 1 : 0;
      this.#strides[i] = stride;
    });
  }
}
