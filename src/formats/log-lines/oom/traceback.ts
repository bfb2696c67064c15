import { frameworksIn } from '../../../model/frameworks.ts';

/** Of a very deep one the first frames tell who called. */
const MOST_FRAMES = 400;
/** A message stands right below its traceback, or among the lines of another one beside it. */
const FAR_LINES = 60;

const BEGINS = /Traceback \(most recent call last\)/;
/** `  File "/lib/transformers/trainer.py", line 2555, in train`; of rich: `/lib/…/trainer.py:2555 in train`. */
const FRAME =
  /^\s*File "([^"]{1,500})", line \d+, in (\w{1,80})|^\s*(\/\S{1,500}\.py):\d+ in (\w{1,80})/;

/** The call stack that stands above a message. */
export class Traceback {
  #frames: { file: string; function: string }[] = [];
  #since = 0;

  /** A line that cannot be of one. */
  skip(): void {
    this.#since++;
  }

  push(line: string): void {
    this.#since++;
    if (BEGINS.test(line)) this.#frames = [];
    const found = FRAME.exec(line);
    if (!found || this.#frames.length >= MOST_FRAMES) return;
    this.#frames.push({ file: found[1] ?? found[3]!, function: found[2] ?? found[4]! });
    this.#since = 0;
  }

  /** Who runs there, by id; none where the last frame is far above. */
  frameworks(): string[] {
    return this.#since > FAR_LINES ? [] : frameworksIn(this.#frames);
  }
}
