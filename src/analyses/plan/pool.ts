import type { ServingSample } from '../../model/engine-plan.ts';

/** A sample with its moment: ns since the recording's start, or NaN; or its line in a log. */
export type TimedSample = ServingSample & { readonly ns: number; readonly line: number | null };

/** How full an engine ever was, by its own word: samples, so it may have been fuller between two of them. */
export interface PoolUse {
  readonly engine: string;
  readonly samples: number;
  /** Where the shares are from. */
  readonly from: readonly ('log' | 'metrics')[];
  /** Share of the KV pool; null: not told. */
  readonly highest: {
    readonly share: number;
    readonly ns: number;
    readonly line: number | null;
  } | null;
  readonly mostRunning: number | null;
  readonly mostWaiting: number | null;
  readonly preemptions: number | null;
}

export function poolUse(engine: string, all: readonly TimedSample[]): PoolUse | null {
  const samples = all.filter((one) => one.engine === engine);
  if (samples.length === 0) return null;
  const most = (of: (one: TimedSample) => number) => {
    const told = samples.map(of).filter((value) => !Number.isNaN(value));
    return told.length === 0 ? null : told.reduce((a, b) => Math.max(a, b));
  };
  const share = most(({ kvUsed }) => kvUsed);
  const at = samples.find(({ kvUsed }) => kvUsed === share);
  return {
    engine,
    samples: samples.length,
    from: [...new Set(samples.map(({ from }) => from))],
    highest: share === null ? null : { share, ns: at!.ns, line: at!.line },
    mostRunning: most(({ running }) => running),
    mostWaiting: most(({ waiting }) => waiting),
    preemptions: most(({ preemptions }) => preemptions),
  };
}
