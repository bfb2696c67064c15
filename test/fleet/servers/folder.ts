import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Real servers and Python packages for the fleet's tests lie here, ignored by git; nothing is installed onto the machine. */
export const FLEET = resolve(import.meta.dirname, '../../../.fleet');

export const PARTS = ['debian', 'slurm', 'testing', 'python'] as const;
/**
 * `debian` and `testing`: Prometheus and VictoriaMetrics of Debian 12 and of its testing suite; `slurm`: Slurm
 * and munge of Debian 12; `python`: chdb (ClickHouse), DuckDB, pyarrow, TensorBoard and Kubernetes' schemas in an environment of their own.
 */
export type Part = (typeof PARTS)[number];

export const partFolder = (part: Part): string => join(FLEET, part);

/** Why a part is not there; null where it is. */
export function lackOf(...parts: readonly Part[]): string | null {
  const reasons = parts.map((part) => {
    try {
      const { error } = JSON.parse(readFileSync(stampOf(part), 'utf8')) as Stamp;
      return error && `${part}: ${error}`;
    } catch {
      return `${part} is not installed: npx tsx test/fleet/servers/install.ts`;
    }
  });
  return reasons.find((reason) => reason !== null) ?? null;
}

/** What became of installing a part: written when it ended, as the last thing. */
export interface Stamp {
  /** Changes when a part is to be made anew. */
  readonly recipe: string;
  readonly error: string | null;
  readonly seconds: number;
}

export const stampOf = (part: Part): string => join(FLEET, `${part}.json`);
