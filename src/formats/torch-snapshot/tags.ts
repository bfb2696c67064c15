import { NO_ID } from '../../model/allocations/actions.ts';
import type { Texts } from '../pickle/texts.ts';

/** What users wrote on their allocations (`user_metadata`), each text once; '' is no tag. */
export class Tags {
  readonly texts: string[] = [];
  readonly #rows = new Map<number, number>();
  readonly #source: () => Texts;
  #lastText = -1;
  #lastRow = NO_ID;

  constructor(source: () => Texts) {
    this.#source = source;
  }

  row(text: number): number {
    if (text === this.#lastText) return this.#lastRow;
    let row = this.#rows.get(text);
    if (row === undefined) {
      const tag = this.#source().text(text);
      row = tag === '' ? NO_ID : this.texts.push(tag) - 1;
      this.#rows.set(text, row);
    }
    this.#lastText = text;
    this.#lastRow = row;
    return row;
  }
}
