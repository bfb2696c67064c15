/** Text ↔ id. New texts are handed out once, so that a writer can append just those. */
export class StringPool {
  readonly #ids = new Map<string, number>();
  readonly #clean: (text: string) => string;
  #fresh: [number, string][] = [];
  #count = 0;

  /** `clean`: what is done to each text before it is kept. */
  constructor(clean: (text: string) => string = (text) => text) {
    this.#clean = clean;
  }

  intern(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const kept = this.#clean(text);
    const id = this.#ids.get(kept) ?? this.#add(kept);
    this.#ids.set(text, id);
    return id;
  }

  takeNew(): [number, string][] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  #add(text: string): number {
    const id = this.#count++;
    this.#ids.set(text, id);
    this.#fresh.push([id, text]);
    return id;
  }
}
