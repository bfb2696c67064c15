import { ACTION, type Action } from '../../model/allocations/actions.ts';
import type { Texts } from '../pickle/texts.ts';

/** In place of the code of a text that was not looked at yet. */
export const NOT_ASKED = 255;
/** Names of actions are among the first texts of a file. */
const TEXTS = 4096;

/** Codes of actions by the ids of the texts that name them. */
export class ActionCodes {
  /** Of the first texts, as far as they were asked for. */
  readonly known = new Uint8Array(TEXTS).fill(NOT_ASKED);
  readonly #texts: () => Texts;

  constructor(texts: () => Texts) {
    this.#texts = texts;
  }

  of(text: number): number {
    if (text >= TEXTS) return this.#lookUp(text);
    let code = this.known[text]!;
    if (code === NOT_ASKED) {
      code = this.#lookUp(text);
      this.known[text] = code;
    }
    return code;
  }

  #lookUp(text: number): number {
    const name = this.#texts().text(text);
    return Object.hasOwn(ACTION, name) ? ACTION[name as Action] : ACTION.other;
  }
}
