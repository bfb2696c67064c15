import {
  isOfMemory,
  isPart,
  PLAN_PARTS,
  type PlanFigure,
  type PlanPart,
  type PlanWhat,
} from '../../model/engine-plan.ts';

/** A figure of a log with the moment at which it was said; NaN: not known. */
export type TimedFigure = PlanFigure & { readonly ns: number };

/** An amount, and where it stands. */
export interface Sourced {
  readonly bytes: number;
  /** `line 12: model weights take`. */
  readonly from: string;
}

/** One part of a plan on one device. */
export interface PlannedPart {
  /** `weights`, `kv`, `activations` …; `weights-outside`: two parts that the engine tells as one. */
  readonly what: PlanPart | 'weights-outside' | 'activations-graphs';
  readonly name: string;
  /** As the engine names it; empty: the card of its process. */
  readonly device: string;
  /** Whether that is the host's memory. */
  readonly onHost: boolean;
  readonly planned: Sourced | null;
  /** What it took, by the engine's own word. */
  readonly taken: Sourced | null;
}

/** What an engine said before it served: of one process, and one loading of a model. */
export interface Planned {
  readonly engine: string;
  readonly version: string;
  readonly worker: string;
  readonly pid: number | null;
  readonly load: number;
  readonly parts: readonly PlannedPart[];
  /** Sums of what was planned; null: of no part it is known. */
  readonly cardBytes: number | null;
  readonly hostBytes: number | null;
  /** Parts that such an engine has and of which this log has no figure. */
  readonly missing: readonly PlanPart[];
  readonly totalBytes: number | null;
  readonly utilization: number | null;
  readonly limitBytes: number | null;
  readonly freeAtStartBytes: number | null;
  readonly kvTokens: number | null;
  readonly kvBlocks: number | null;
  readonly contextTokens: number | null;
  /** What it still had on the card when it slept last, by its own word. */
  readonly asleepBytes: number | null;
  /** When its plan was complete, and when it first slept; NaN: not known, never. */
  readonly completeNs: number;
  readonly asleepNs: number;
}

/** Those without which a plan of a torch engine is not whole. */
const EXPECTED: readonly PlanPart[] = ['weights', 'kv', 'activations', 'outside'];
/** Engines that plan by a share of a card. */
const BY_SHARE: ReadonlySet<string> = new Set(['vllm', 'example-engine']);

/** The plans in a log, in their order; what nobody's process says is said of all. */
export function plansOf(figures: readonly TimedFigure[]): Planned[] {
  const groups = new Map<string, TimedFigure[]>();
  for (const figure of figures) {
    const key = [figure.engine, figure.load, figure.worker, figure.pid].join('\n');
    const group = groups.get(key) ?? [];
    group.push(figure);
    groups.set(key, group);
  }
  const all = [...groups.values()];
  const whole = all.filter((group) => group.some(({ what }) => isOfMemory(what)));
  return whole.map((group) => {
    const { engine, load } = group[0]!;
    const same = (one: TimedFigure) => one.engine === engine && one.load === load;
    const shared = all.filter((other) => same(other[0]!) && !whole.includes(other));
    // The arguments are told once, before any model is loaded.
    const before = all.filter((other) => other[0]!.engine === engine && other[0]!.load < load);
    return planOf(group, [...before, ...shared].flat());
  });
}

function planOf(own: readonly TimedFigure[], shared: readonly TimedFigure[]): Planned {
  const last = (what: PlanWhat, device = '') =>
    own.findLast((one) => one.what === what && one.device === device);
  const fact = (what: PlanWhat) =>
    [...shared.filter(({ what }) => !isPart(what)), ...own].findLast((one) => one.what === what)
      ?.value ?? null;
  const { engine, worker, pid, load } = own[0]!;
  const devices = [...new Set(own.filter(isDeviceFigure).map(({ device }) => device))];
  const parts = devices.flatMap((device) => partsOn(device, engine, (what) => last(what, device)));
  const sum = (onHost: boolean) => {
    const some = parts.filter((part) => part.onHost === onHost && part.planned !== null);
    return some.length === 0 ? null : some.reduce((all, { planned }) => all + planned!.bytes, 0);
  };
  const told = new Set<string>(parts.filter(({ planned }) => planned).map(({ what }) => what));
  const has = (what: PlanPart) =>
    told.has(what) ||
    (told.has('weights-outside') && (what === 'weights' || what === 'outside')) ||
    (told.has('activations-graphs') && what === 'activations');
  const slept = own.find(({ what }) => what === 'asleep');
  const before = own.filter(
    ({ what }) => what !== 'asleep' && what !== 'freed' && what !== 'woke' && !/^end-/.test(what),
  );
  return {
    engine,
    version: own.findLast(({ version }) => version !== '')?.version ?? '',
    worker,
    pid,
    load,
    parts,
    cardBytes: sum(false),
    hostBytes: sum(true),
    missing: BY_SHARE.has(engine) ? EXPECTED.filter((what) => !has(what)) : [],
    totalBytes: fact('total'),
    utilization: fact('utilization'),
    limitBytes: fact('limit'),
    freeAtStartBytes: fact('free'),
    kvTokens: fact('kv-tokens'),
    kvBlocks: fact('kv-blocks'),
    contextTokens: fact('context'),
    asleepBytes: fact('asleep'),
    completeNs: Math.max(...before.map(({ ns }) => ns)),
    asleepNs: slept?.ns ?? Number.NaN,
  };
}

const isDeviceFigure = ({ what }: PlanFigure) =>
  isPart(what) || /^(?:end-|weights-outside|torch-peak|activations-graphs|graphs-taken)/.test(what);

type Lookup = (what: PlanWhat) => TimedFigure | undefined;

function partsOn(device: string, engine: string, last: Lookup): PlannedPart[] {
  const onHost = isHost(device);
  const part = (
    what: PlannedPart['what'],
    planned: Sourced | null,
    taken: Sourced | null = null,
  ): PlannedPart[] =>
    planned || taken ? [{ what, name: nameOf(what), device, onHost, planned, taken }] : [];
  const [weights, torchPeak] = [last('weights'), last('torch-peak')];
  const consumed = last('weights-outside');
  const counted = engine !== 'vllm' || last('graphs-counted')?.value === 1;
  const graphs = last('graphs');
  const end = (what: PlanWhat) => sourced(last(what));
  const outside =
    sourced(last('outside')) ??
    (consumed && weights ? less(consumed, weights.value, 'less the weights') : null);
  const asOne = consumed && !weights ? sourced(consumed) : null;
  return [
    ...part('weights', sourced(weights), end('end-weights')),
    ...part('weights-outside', asOne),
    ...part('kv', sourced(last('kv')), end('end-context')),
    ...part('state', sourced(last('state'))),
    ...activations(last, weights, torchPeak, counted ? graphs : undefined).flatMap((one) =>
      part(one.what, one.planned),
    ),
    ...part('compute', sourced(last('compute')), end('end-compute')),
    ...part('output', sourced(last('output'))),
    ...part('graphs', counted ? sourced(graphs) : null, sourced(last('graphs-taken'))),
    ...part('outside', outside),
    ...part('other', sourced(last('other')), end('end-unaccounted')),
  ];
}

/** Some versions tell them with the weights, some with the graphs that they expect. */
function activations(
  last: Lookup,
  weights: TimedFigure | undefined,
  torchPeak: TimedFigure | undefined,
  graphs: TimedFigure | undefined,
): { readonly what: 'activations' | 'activations-graphs'; readonly planned: Sourced | null }[] {
  const both = last('activations-graphs');
  if (both && last('graphs-counted') === undefined && last('graphs') !== undefined)
    return [{ what: 'activations-graphs', planned: sourced(both) }];
  const planned =
    sourced(last('activations')) ??
    (torchPeak && weights ? less(torchPeak, weights.value, 'less the weights') : null) ??
    (both ? (graphs ? less(both, graphs.value, 'less the graphs') : sourced(both)) : null);
  return [{ what: 'activations', planned }];
}

const sourced = (figure: TimedFigure | undefined): Sourced | null =>
  figure ? { bytes: figure.value, from: placeOf(figure) } : null;

const less = (figure: TimedFigure, bytes: number, words: string): Sourced => ({
  bytes: Math.max(0, figure.value - bytes),
  from: `${placeOf(figure)}, ${words}`,
});

const placeOf = ({ line, wording }: PlanFigure) => `line ${line}: ${wording}`;

const nameOf = (what: PlannedPart['what']): string => {
  if (what === 'weights-outside') return 'weights, with what is outside torch';
  if (what === 'activations-graphs') return 'activations, perhaps with graphs';
  return PLAN_PARTS[what];
};

/** llama.cpp's names of buffers in the host's memory. */
const isHost = (device: string) => /^CPU|_Host$|^Host$|^not told where$/i.test(device);
