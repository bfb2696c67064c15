import type {
  AccountingAt,
  IterationMoment,
  LayerPart,
  ModelLayers,
} from '../../analyses/layers/index.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes } from '../../base/bytes.ts';
import { capitalized, count, ellipsize, printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { kindName } from '../../model/memory-kinds.ts';
import { NONE, type TextTable } from '../table.ts';
import type { Account, Passage } from './section.ts';

/** Processes, layers and growing parts that a page has room for; programs get them all. */
const MOST_MODELS = 4;
const MOST_LAYERS = 12;
const MOST_GROWING = 6;
const NAME_WIDTH = 48;

/** What a report says of models, process by process. */
export function layerPassages({ layers }: Report): Passage[] {
  const passages = layers.slice(0, MOST_MODELS).map((model): Passage => {
    const lines = [momentLine(model), totalsLine(model), ...growthLines(model)];
    if (model.accounting) lines.push(accountingLine(model.accounting));
    const title = layers.length > 1 ? `Layers of ${processWords(model)}` : 'Layers';
    return { title, blocks: [{ lines: lines.map(printable) }, { table: layerRows(model) }] };
  });
  const hidden = layers.length - passages.length;
  if (hidden > 0) {
    const lines = [`${count(hidden, 'more process', 'more processes')} told of layers: see --json`];
    passages.push({ title: 'More layers', blocks: [{ lines }] });
  }
  return passages;
}

export const processWords = ({ pid, rank }: { pid: number; rank: number | null }) =>
  rank === null ? `process ${pid}` : `rank ${rank} (process ${pid})`;

/** `iteration 85 in epoch 1`: its number may count on from epoch to epoch. */
export function whenWords({ epoch, iteration }: IterationMoment): string {
  const which = iteration === null ? 'an iteration' : `iteration ${iteration}`;
  return epoch === null ? which : `${which} in epoch ${epoch}`;
}

function momentLine({ at, peak, iterations }: ModelLayers): string {
  const most = peak ? `: ${liveWords(peak)}` : '';
  const of = iterations > 1 ? `, the highest of ${count(iterations, 'iteration')}` : '';
  return `${whenWords(at)} (${formatDuration(at.seconds)})${of}${most}`;
}

/** `131 MiB live at once, reached at conv1`. */
export function liveWords({ bytes, layer }: NonNullable<ModelLayers['peak']>): string {
  const live = `${formatBytes(bytes)} live at once`;
  if (layer === '') return live;
  // What an agent says where no layer runs is a place in words, not a name.
  return `${live}, reached ${layer === 'outside the model' ? layer : `at ${layer}`}`;
}

function totalsLine({ totals }: ModelLayers): string {
  const parts = totals.filter(({ bytes }) => bytes > 0);
  return parts.map(({ kind, bytes }) => `${kindName(kind)} ${formatBytes(bytes)}`).join(', ');
}

/** Parts first: a kind grows because one of its parts does. */
function growthLines({ parts, iterations }: ModelLayers): string[] {
  const growing = parts
    .filter((part): part is LayerPart & { growth: object } => part.growth !== null)
    .sort((a, b) => b.growth!.bytesPerIteration - a.growth!.bytesPerIteration);
  const lines = growing.slice(0, MOST_GROWING).map(({ name, kind, growth }) => {
    const { bytesPerIteration, toBytes, pattern } = growth!;
    const by = `${formatBytes(bytesPerIteration)} an iteration to ${formatBytes(toBytes)}`;
    return `grows ${pattern}: ${kindName(kind)}, ${name || 'in no layer'}, by ${by}`;
  });
  const rest = growing.slice(MOST_GROWING);
  if (rest.length > 0) {
    const sum = rest.reduce((all, { growth }) => all + growth!.bytesPerIteration, 0);
    lines.push(`${count(rest.length, 'more part')} grow, by ${formatBytes(sum)} an iteration`);
  }
  return lines.length === 0 && iterations > 7
    ? ['no part of the model grows from iteration to iteration']
    : lines;
}

/** `RSS 239 MiB at iteration 38 = 3.29 MiB parameters + … + 198 MiB not of the model`. */
function accountingLine(accounting: AccountingAt): string {
  const { at, measure, measuredBytes, bands, residueBytes, oneMoment } = accounting;
  const what = measure === 'rss' ? 'RSS' : 'GPU memory';
  const parts = bands
    .filter(({ bytes }) => bytes > 0)
    .map(({ band, bytes }) => `${formatBytes(bytes)} ${kindName(band)}`);
  const rest = measure === 'rss' ? 'of the rest of the process' : 'of context and others';
  if (residueBytes < 0) {
    const all = formatBytes(measuredBytes - residueBytes);
    return (
      `${what} ${formatBytes(measuredBytes)} at ${whenWords(at)} is less than its parts together (${parts.join(' + ')} = ${all}), ` +
      'as the two were not read at one moment: how it was split is not known'
    );
  }
  const residue = `+ ${formatBytes(residueBytes)}`;
  const doubt = oneMoment ? '' : '; parts at their highest, not all at once';
  return `${what} ${formatBytes(measuredBytes)} at ${whenWords(at)} = ${parts.join(' + ')} ${residue} ${rest}${doubt}`;
}

function layerRows({ layers, totals }: ModelLayers): TextTable {
  const kinds = totals
    .map(({ kind }) => kind)
    .filter((kind) => layers.some((layer) => (layer.kinds[kind] ?? 0) > 0));
  const shown = layers.slice(0, MOST_LAYERS);
  const hidden = layers.slice(MOST_LAYERS);
  const sum = hidden.reduce((all, { bytes }) => all + bytes, 0);
  return {
    head: ['layer', ...kinds.map(kindName), 'in all'],
    body: shown.map((layer) => [
      ellipsize(printable(layer.layer || 'in no layer'), NAME_WIDTH),
      ...kinds.map((kind) => (kind in layer.kinds ? formatBytes(layer.kinds[kind]!) : NONE)),
      formatBytes(layer.bytes),
    ]),
    right: new Set([...kinds.map((_, i) => i + 1), kinds.length + 1]),
    rest:
      hidden.length > 0 ? `and ${count(hidden.length, 'more layer')}: ${formatBytes(sum)}` : null,
  };
}

/** What each process with a model held, by what of the model it is. */
export function modelAccounts({ layers }: Report): Account[] {
  return layers.flatMap(({ accounting, ...model }): Account[] => {
    if (!accounting) return [];
    const { bands, residueBytes, measuredBytes, measure, at } = accounting;
    const rest = measure === 'rss' ? 'rest of the process' : 'context and others';
    return [
      {
        title: `${capitalized(processWords(model))} at ${whenWords(at)}`,
        bytes: measuredBytes,
        counted: measure === 'rss' ? 'RSS' : 'GPU memory',
        of: 'kinds',
        parts:
          residueBytes < 0
            ? [
                {
                  key: 'rest',
                  label: 'not known how it was split',
                  bytes: measuredBytes,
                  about: null,
                },
              ]
            : [
                ...bands.map(({ band, bytes }) => ({
                  key: band,
                  label: kindName(band),
                  bytes,
                  about: null,
                })),
                { key: 'rest', label: rest, bytes: residueBytes, about: null },
              ].filter(({ bytes }) => bytes > 0),
      },
    ];
  });
}
