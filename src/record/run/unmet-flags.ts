import type { SessionOptions } from './options.ts';

/** What the user asked for that only a program's own agent can do: whether any process did it. */
export class UnmetFlags {
  readonly #layers: boolean;
  readonly #gpuLimit: boolean;
  #followed = false;
  #limited = false;

  constructor({ layers, gpuLimit }: Pick<SessionOptions, 'layers' | 'gpuLimit'>) {
    this.#layers = layers ?? false;
    this.#gpuLimit = (gpuLimit ?? null) !== null;
  }

  sawLayers(): void {
    this.#followed = true;
  }

  sawCounters(values: Readonly<Record<string, number>>): void {
    if (this.#gpuLimit) this.#limited ||= Object.keys(values).some((name) => /^limit\d/.test(name));
  }

  /** Sentences on those that came to nothing. */
  warnings(): string[] {
    const warnings: string[] = [];
    if (this.#layers && !this.#followed) {
      warnings.push('--layers had no effect: no process took a second optimizer step with torch');
    }
    if (this.#gpuLimit && !this.#limited) {
      warnings.push('--gpu-limit had no effect: no process used a larger card with torch');
    }
    return warnings;
  }
}
