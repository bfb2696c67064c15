import { curve, summary } from '../../../model/allocations/curve.ts';
import { type DeviceId, deviceId } from '../../../model/allocations/device-name.ts';
import { lifetimes } from '../../../model/allocations/lifetimes.ts';
import { type DeviceTrace, traces } from '../../../model/allocations/trace.ts';
import { Columns, type TypedArray } from '../../../model/columns.ts';
import { panelCurve, picks, spanOf } from '../../panels/panel-curve.ts';
import { bytesAfter, categoryBands } from '../../panels/trace-bands.ts';
import type { Category } from '../evidence/reasons.ts';
import { surveyOf } from '../evidence/survey.ts';
import { momentOf, type StepMoment } from '../moment.ts';
import type { NamedTrace } from './device.ts';
import { matchSites } from './match.ts';
import { rankedSites } from './site-changes.ts';
import { allSites, liveSites, type Site, siteKeys } from './sites.ts';
import { stepAxis } from './step-axis.ts';

/**
 * Two traces over one axis, stacked by category. Columns of side i: `<i>.event`, `<i>.step` where both have steps, bytes of
 * each category `<i>.<category>`, and of each site that is told one by one `<i>.site.<n>`.
 */
export interface ComparedTraces {
  readonly type: 'compared-traces';
  /** Whether they can be laid over each other by step, or by event only. */
  readonly stepped: boolean;
  readonly sides: readonly [TraceSide, TraceSide];
  /** How many sites there are, in the order of the difference's. */
  readonly sites: number;
}

export interface TraceSide {
  readonly run: string;
  readonly device: DeviceId;
  /** Among those of its run; null: it is the only one. */
  readonly trace: number | null;
  readonly events: number;
  readonly steps: number;
  /** Where the first event of all lies by step and the last one ends; null where it is not drawn so. */
  readonly span: readonly [number, number] | null;
  /** From the ground up. */
  readonly categories: readonly Category[];
  /** `at`: its place by step; null where it is not drawn so. */
  readonly peak: StepMoment & {
    readonly bytes: number;
    readonly event: number;
    readonly at: number | null;
  };
}

const placeAmong = (all: readonly DeviceTrace[], trace: DeviceTrace) =>
  all.length === 1 ? null : all.indexOf(trace);

export interface TraceWindow {
  readonly across: 'step' | 'event';
  readonly from?: number;
  readonly to?: number;
  readonly columns: number;
}

export function comparedTraces(
  a: NamedTrace,
  b: NamedTrace,
  window: TraceWindow,
): Columns<ComparedTraces> {
  const given = [a, b] as const;
  const stepped = given.every((one) => surveyOf(one.recording, one.trace).steps.count > 0);
  const sites = siteRows(a, b);
  const arrays: Record<string, TypedArray> = {};
  const axes = given.map(({ recording, trace }) =>
    stepped && trace.events > 0 ? stepAxis(surveyOf(recording, trace).steps, trace.events) : null,
  );
  const [left, right] = given.map((one, i) => {
    const { name, recording, trace } = one;
    const by = window.across === 'step' && axes[i] ? axes[i].subarray(0, trace.events) : null;
    const shown = pickedEvents(one, by, window);
    arrays[`${i}.event`] = Float64Array.from(shown);
    if (axes[i]) arrays[`${i}.step`] = Float64Array.from(shown, (event) => axes[i]![event]!);
    const bands = categoryBands(recording, trace, shown);
    for (const { key, bytes } of bands) arrays[`${i}.${key}`] = bytes;
    const life = lifetimes(trace);
    const siteOf = sites.of[i]!;
    bytesAfter(life, trace.events, shown, sites.count, siteOf).forEach((bytes, site) => {
      arrays[`${i}.site.${site}`] = bytes;
    });
    const { peakRequested: bytes, peakEvent: event } = summary(trace);
    const survey = surveyOf(recording, trace);
    const side: TraceSide = {
      run: name,
      device: deviceId(trace.device),
      trace: placeAmong(traces(recording), trace),
      events: trace.events,
      steps: survey.steps.count,
      span: axes[i] ? [axes[i][0]!, axes[i].at(-1)!] : null,
      categories: bands.map(({ key }) => key as Category),
      peak: { ...momentOf(survey, event), bytes, event, at: axes[i]?.[event] ?? null },
    };
    return side;
  });
  return new Columns(
    { type: 'compared-traces', stepped, sides: [left!, right!], sites: sites.count },
    arrays,
  );
}

/** Of each column of the picture those that its curve cannot do without, and the peak. */
function pickedEvents(
  { trace }: NamedTrace,
  x: Float64Array | null,
  { from, to, columns }: TraceWindow,
): Uint32Array {
  const all = panelCurve(x, curve(trace).requested);
  const [low, high] = spanOf(all) ?? [0, 0];
  const window = { clock: 'event', low: from ?? low, high: to ?? high, columns } as const;
  const { rows } = picks(all, window);
  const { peakEvent } = summary(trace);
  const isBetween = peakEvent >= (rows[0] ?? Infinity) && peakEvent <= (rows.at(-1) ?? -1);
  return isBetween ? Uint32Array.from(new Set([...rows, peakEvent])).sort() : rows;
}

interface SiteRows {
  readonly count: number;
  /** By side: which site a row of the lifetimes belongs to; -1: none of them. */
  readonly of: readonly ((row: number) => number)[];
}

/** The sites that are told one by one, in both traces, whether or not they hold anything at the peak. */
function siteRows(a: NamedTrace, b: NamedTrace): SiteRows {
  const [had, has] = [a, b].map(
    ({ recording, trace }) => liveSites(recording, trace, summary(trace).peakEvent).sites,
  );
  const shown = rankedSites(had!, has!).shown.map(({ pairing }) => pairing);
  const sides = (['a', 'b'] as const).map((side) => {
    const one = side === 'a' ? a : b;
    const other = side === 'a' ? 'b' : 'a';
    const numbers = new Map<string, number>();
    const stacks = new Set<number>();
    const note = (sites: readonly Site[], number: number) => {
      for (const { key, stack } of sites) {
        if (!numbers.has(key)) numbers.set(key, number);
        stacks.add(stack);
      }
    };
    shown.forEach((pairing, number) => {
      note(pairing[side], number);
    });
    const lone = shown.flatMap((pairing, number) =>
      pairing[side].length === 0 ? pairing[other].map((site) => ({ site, number })) : [],
    );
    for (const { found, number } of elsewhere(one, lone)) note(found, number);
    const keyOf = siteKeys(one.recording, one.trace);
    const life = lifetimes(one.trace);
    return (row: number) => (stacks.has(life.stack[row]!) ? (numbers.get(keyOf(row)) ?? -1) : -1);
  });
  return { count: shown.length, of: sides };
}

/** What is alive at one peak only may be there in the other trace at another moment. */
function elsewhere(
  { recording, trace }: NamedTrace,
  lone: readonly { readonly site: Site; readonly number: number }[],
): { found: readonly Site[]; number: number }[] {
  if (lone.length === 0) return [];
  const numbers = new Map(lone.map(({ site, number }) => [site, number]));
  const all = allSites(recording, trace).sites;
  return matchSites(
    all,
    lone.map(({ site }) => site),
  ).flatMap(({ a: found, b: sites }) =>
    found.length > 0 && sites.length > 0 ? [{ found, number: numbers.get(sites[0]!)! }] : [],
  );
}
