import { findSourceMap } from 'node:module';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Frames between a tensor and the program that asked for it. */
const DEEPEST = 100;
/** This package: its sources here, or the folder of its bundle. */
const OWN = dirname(fileURLToPath(import.meta.url));

/** Where the program is now. Cheap: it becomes text only when somebody asks. */
export function whereNow(): Error {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = DEEPEST;
  const here = new Error();
  Error.stackTraceLimit = before;
  return here;
}

/** The innermost line of the program itself, as `train.js:12`; null where only libraries are in sight. */
export function programLine(where: Error): string | null {
  for (const site of sitesOf(where)) {
    const url = site.getFileName() ?? '';
    const [line, column] = [site.getLineNumber() ?? 0, site.getColumnNumber() ?? 1];
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    if (!file.startsWith('/')) continue;
    if (file.includes('/node_modules/') || file.startsWith(`${OWN}/`)) continue;
    return `${shortPath(file)}:${lineAsWritten(url, line, column)}`;
  }
  return null;
}

/** As one would type it here; from elsewhere its last two parts tell enough. */
function shortPath(file: string): string {
  const near = relative(process.cwd(), file);
  return near.startsWith('..') ? file.split('/').slice(-2).join('/') : near;
}

/**
 * The frames as they ran. Their text would not do: with source maps on, a library's frames look as if
 * its sources lay beside the program.
 */
function sitesOf(where: Error): readonly NodeJS.CallSite[] {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  try {
    const { stack } = where as { stack?: unknown };
    return Array.isArray(stack) ? stack : [];
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** A program that was compiled is told by the line of its source, where there is a map. */
function lineAsWritten(url: string, line: number, column: number): number {
  const entry = findSourceMap(url)?.findEntry(line - 1, column - 1) as
    | { originalLine?: number }
    | undefined;
  return entry?.originalLine === undefined ? line : entry.originalLine + 1;
}
