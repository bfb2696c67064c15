import type {
  AllocationComparison,
  Change,
  DeviceDifference,
  Share,
  SiteChange,
} from '../../analyses/allocations/diff/index.ts';
import { formatBytes, formatDelta } from '../../base/bytes.ts';
import { count, ellipsize, printable } from '../../base/text.ts';
import { deviceName } from '../../model/allocations/device-name.ts';
import { categoryPlural } from '../../model/allocations/words.ts';
import { NONE, type TableSection, type TextTable } from '../table.ts';

const WHERE_WIDTH = 90;

/** The answer, a line for each pair. */
export function allocationSentences({ devices, differences }: AllocationComparison): string[] {
  if (differences.length > 0) return differences.map(sentence);
  return devices.map(
    ({ run, device, peakRequestedBytes, peakReservedBytes }) =>
      `${run} peaks at ${formatBytes(peakRequestedBytes)} requested on ${deviceName(device)}, ` +
      `${formatBytes(peakReservedBytes)} reserved; give another trace to hold it against.`,
  );
}

function sentence(pair: DeviceDifference): string {
  const { a, b, peakRequestedBytes: peak, peakReservedBytes: reserved } = pair;
  const where = deviceWords(pair);
  if (peak.difference === 0) {
    return `${b} and ${a} peak alike on ${where}: ${formatBytes(peak.a)} requested.`;
  }
  const more = peak.difference > 0 ? 'more' : 'less';
  const held = `${formatBytes(peak.b)} against ${formatBytes(peak.a)}`;
  return (
    `${b} takes ${formatBytes(Math.abs(peak.difference))} ${more} than ${a} at the peak on ${where}: ` +
    `${held} requested (reserved: ${delta(reserved)}).`
  );
}

export function allocationSections(comparison: AllocationComparison): TableSection[] {
  const [traces, settings] = commonSections(comparison);
  const sections = [traces!, ...comparison.differences.flatMap(pairSections), settings!];
  return filledSections(sections);
}

/** For a page, which has a picture and tables of its own for one pair: what else there is to say of it, and of all. */
export const furtherSections = (
  comparison: AllocationComparison,
  pair: DeviceDifference | undefined,
): TableSection[] =>
  filledSections([...(pair ? restSections(pair) : []), ...commonSections(comparison)]);

const filledSections = (sections: readonly TableSection[]) =>
  sections.filter(({ rows }) => rows.body.length > 0);

const commonSections = (comparison: AllocationComparison): TableSection[] => [
  { title: 'Allocation traces', rows: deviceRows(comparison) },
  { title: 'Settings that differ', rows: settingRows(comparison) },
];

function pairSections(pair: DeviceDifference): TableSection[] {
  return [
    { title: categoryTitle(pair), rows: categoryRows(pair) },
    { title: siteTitle(pair), rows: siteRows(pair) },
    ...restSections(pair),
  ];
}

const restSections = (pair: DeviceDifference): TableSection[] => [
  { title: `${pairWords(pair)}: by tag`, rows: tagRows(pair) },
  {
    title: `${pairWords(pair)}: reserved at the peak, by kind of segment`,
    rows: segmentRows(pair),
  },
];

/** Which is held against which, and where. */
export const pairWords = (pair: DeviceDifference) => `${pair.b} − ${pair.a}, ${deviceWords(pair)}`;
export const categoryTitle = (pair: DeviceDifference) =>
  `${pairWords(pair)}: at the peaks, by category${momentWords(pair)}`;
export const siteTitle = (pair: DeviceDifference) =>
  `${pairWords(pair)}: what grew and what shrank, by call stack`;

function deviceRows({ devices }: AllocationComparison): TextTable {
  return {
    head: ['run', 'device', 'peak requested', 'peak reserved', 'at the end', 'events'],
    body: devices.map((one) => [
      printable(one.run),
      deviceName(one.device),
      formatBytes(one.peakRequestedBytes),
      formatBytes(one.peakReservedBytes),
      formatBytes(one.endRequestedBytes),
      String(one.events),
    ]),
    right: new Set([2, 3, 4, 5]),
    rest: null,
  };
}

function categoryRows(pair: DeviceDifference): TextTable {
  return {
    head: ['category', ...headOf(pair)],
    body: [
      ...pair.categories.map((one) => [categoryPlural(one.category), ...figures(one)]),
      ['all', ...figures(pair.live)],
    ],
    right: new Set([1, 2, 3, 4]),
    rest: null,
  };
}

function siteRows(pair: DeviceDifference): TextTable {
  const { shown, rest } = pair.sites;
  const body = shown.map((site) => [
    ...figures(site),
    statusWords(site),
    categoryPlural(site.category),
    ellipsize(printable(site.tag ? `${site.tag}: ${site.where}` : site.where), WHERE_WIDTH),
  ]);
  if (rest.sites > 0) body.push([...figures(rest), 'rest', '', restWords(pair)]);
  if (pair.residueBytes !== 0) {
    body.push([formatDelta(pair.residueBytes), '', '', '', 'residue', '', RESIDUE]);
  }
  const sum = [delta(pair.peakRequestedBytes), ...held(pair.peakRequestedBytes)];
  body.push([...sum, figures(pair.live)[3]!, 'all', '', WHOLE]);
  return {
    head: [...headOf(pair), 'what', 'category', 'where'],
    body,
    right: new Set([0, 1, 2, 3]),
    rest: null,
  };
}

export const WHOLE = 'the difference of the peaks';
export const RESIDUE = 'events that fit no block';

/** The sites that are not told one by one. */
export function restWords({ sites: { rest } }: DeviceDifference): string {
  const unchanged = rest.grownBytes === 0 && rest.shrunkBytes === 0;
  return unchanged
    ? `${count(rest.sites, 'site')} as before`
    : `${count(rest.sites, 'more site')}: ${formatDelta(rest.grownBytes)} grown, ${formatDelta(-rest.shrunkBytes)} shrunk`;
}

export function statusWords({ status, match }: SiteChange): string {
  return match === null || match === 'exact' ? status : `${status} (${match})`;
}

function tagRows(pair: DeviceDifference): TextTable {
  const { shown, rest } = pair.tags;
  const body = shown.map((one) => [
    ellipsize(printable(one.tag || '(no tag)'), WHERE_WIDTH),
    ...figures(one),
  ]);
  if (rest.tags > 0) body.push([count(rest.tags, 'more tag'), ...figures(rest)]);
  return { head: ['tag', ...headOf(pair)], body, right: new Set([1, 2, 3, 4]), rest: null };
}

function segmentRows(pair: DeviceDifference): TextTable {
  const [change, a, b] = headOf(pair);
  return {
    head: ['segments', 'pool', change!, a!, b!, 'how many'],
    body: pair.segments.map(({ kind, pool, expandable, bytes, segments }) => [
      expandable ? `${kind}, expandable` : kind,
      pool,
      delta(bytes),
      ...held(bytes),
      `${segments.a} → ${segments.b}`,
    ]),
    right: new Set([2, 3, 4, 5]),
    rest: null,
  };
}

function settingRows({ settings }: AllocationComparison): TextTable {
  const names = Object.keys(settings[0]?.values ?? {});
  return {
    head: ['setting', ...names.map(printable)],
    body: foldedSettings(settings).map(({ setting, values }) => [
      printable(setting),
      ...names.map((name) => printable(String(values[name] ?? NONE))),
    ]),
    right: new Set(),
    rest: null,
  };
}

/** Parts of one setting that all say the same take one line: `roundup_power2_divisions.1 … .32768`. */
function foldedSettings(settings: AllocationComparison['settings']) {
  const groups = new Map<string, typeof settings>();
  for (const one of settings) {
    const [outer, inner] = one.setting.split('.');
    const key = inner === undefined ? one.setting : `${outer}. ${JSON.stringify(one.values)}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((same) => {
    const [first, last] = [same[0]!, same.at(-1)!];
    if (first === last) return first;
    const end = last.setting.slice(last.setting.lastIndexOf('.'));
    return { setting: `${first.setting} … ${end}`, values: first.values };
  });
}

const headOf = ({ a, b }: DeviceDifference) => ['change', printable(a), printable(b), 'blocks'];
const figures = ({ bytes, allocations }: Share) => [
  delta(bytes),
  ...held(bytes),
  `${allocations.a} → ${allocations.b}`,
];
const held = ({ a, b }: Change) => [formatBytes(a), formatBytes(b)];
export const delta = ({ difference }: Change) =>
  difference === 0 || Number.isNaN(difference) ? formatBytes(difference) : formatDelta(difference);

function deviceWords({ device, otherDevice }: DeviceDifference): string {
  const name = deviceName(device);
  return otherDevice === null ? name : `${name} and ${deviceName(otherDevice)}`;
}

/** Peaks at different moments of the work hold different things: that must not be read as growth. */
function momentWords({ a, b, moments }: DeviceDifference): string {
  const words = ({ phase, step }: DeviceDifference['moments']['a']) =>
    [phase, step === null ? null : `step ${step}`].filter(Boolean).join(' of ');
  const [before, after] = [words(moments.a), words(moments.b)];
  if (!before && !after) return '';
  return ` (${b}: ${after || 'not known'}; ${a}: ${before || 'not known'})`;
}
