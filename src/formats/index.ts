import { arrow } from './arrow.ts';
import { csv } from './csv/index.ts';
import type { Format } from './format.ts';
import { json } from './json.ts';
import { mprof } from './mprof.ts';
import { free } from './procps/free.ts';
import { freeLog } from './procps/free-log.ts';
import { vmstat } from './procps/vmstat.ts';
import { psrecord } from './psrecord.ts';

/** All formats; strict sniffers before lenient ones. */
export const FORMATS: readonly Format[] = [
  arrow,
  json,
  freeLog,
  free,
  vmstat,
  mprof,
  psrecord,
  csv,
];

/** The format of a file by its beginning; by its name where no format knows the beginning. */
export function detect(head: Uint8Array, fileName: string): Format | null {
  const name = fileName.toLowerCase();
  return (
    FORMATS.find((format) => format.sniff(head)) ??
    FORMATS.find((format) => format.extensions.some((ending) => name.endsWith(ending))) ??
    null
  );
}
