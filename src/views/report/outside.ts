import type { OutsideFacts } from '../../analyses/gpu/outside-parts.ts';
import type { Report } from '../../analyses/report.ts';
import { formatBytes, MiB } from '../../base/bytes.ts';
import { printable } from '../../base/text.ts';
import { formatDuration } from '../../base/time.ts';
import { cardsShown } from './gpu.ts';

/** Less than this needs no explanation. */
const WORTH = 32 * MiB;

/** Of what is outside torch and has no name of its own: when it came, and the line that ran. */
export function outsideLines(report: Report): string[] {
  const cards = cardsShown(report);
  const several = cards.length > 1;
  return cards.flatMap(({ gpu, accounting }) =>
    linesOf(accounting?.outside ?? null).map((line) => (several ? `GPU ${gpu}: ${line}` : line)),
  );
}

function linesOf(outside: OutsideFacts | null): string[] {
  if (!outside || outside.otherBytes < WORTH || outside.growths.length === 0) return [];
  const came = outside.growths.map(({ bytes, seconds, place, function: name }) => {
    const where =
      place === '' ? '' : ` at ${printable(place)}${name === '' ? '' : ` in ${printable(name)}()`}`;
    return `${formatBytes(bytes)}${where} (${formatDuration(seconds)})`;
  });
  return [
    `other outside torch: kernels and libraries, loaded when they are first used, and what is allocated beside torch. It came as ${came.join('; ')}`,
  ];
}
