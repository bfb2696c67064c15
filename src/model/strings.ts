/** Text ↔ id. New texts are handed out once, so that a writer can append just those. */
export class StringPool {
  readonly #ids = new Map<string, number>();
  #fresh: [number, string][] = [];

  intern(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(text, id);
      this.#fresh.push([id, text]);
    }
    return id;
  }

  takeNew(): [number, string][] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }
}
