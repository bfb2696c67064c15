import type { WhatIfFigures } from '../../analyses/allocations/what-if/answer.ts';
import type { WhatIfRow } from '../../analyses/allocations/what-if/rows.ts';
import { formatBytes } from '../../base/bytes.ts';
import { count } from '../../base/text.ts';

/** What a shell is told so that a program runs with these settings; null: there is nothing to set, or nothing is proven. */
export function setLine(
  { variable, recorded }: WhatIfFigures,
  { conf, isRecorded, outcome }: WhatIfRow,
): string | null {
  if (conf === 'default' || isRecorded || outcome === 'dies' || !recorded.exact) return null;
  // Brackets and > mean something to a shell.
  return `export ${variable}=${/^[\w.:,-]+$/.test(conf) ? conf : `'${conf}'`}`;
}

/** The first that saves something, or that gets past the request that failed. */
export function bestRow({ rows, recorded }: WhatIfFigures): WhatIfRow | undefined {
  const rescues =
    recorded.exact && rows.some(({ isRecorded, outcome }) => isRecorded && outcome === 'dies');
  return rows.find(
    ({ savingBytes, outcome }) =>
      (savingBytes !== null && savingBytes > 0) || (rescues && outcome === 'runs'),
  );
}

/** What the figures are measured by. */
export function groundLines({ recorded, floorBytes }: WhatIfFigures): string[] {
  return [
    `No setting can do with less than ${formatBytes(floorBytes)}, the most in use at one moment; the recorded run reserved ${formatBytes(recorded.reservedPeakBytes)}.`,
    ...(recorded.exact && recorded.deviceAllocs > 0
      ? [
          `Proven on the recorded run: its replay made the same ${count(recorded.deviceAllocs, 'cudaMalloc')} in the same order.`,
        ]
      : []),
  ];
}
