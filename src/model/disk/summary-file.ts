import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { errnoCode, FormatError } from '../../base/errors.ts';
import {
  MOST_SUMMARY_BYTES,
  type RecordingSummary,
  type SummaryDetails,
  type WholeSummary,
} from '../job/summary.ts';
import { parseDetails, parseSummary } from '../job/summary-check.ts';
import { replaceFile } from './files.ts';
import type { Files } from './recording-files.ts';

export const SUMMARY_FILE = 'summary.jsonl';

export function writeSummary(folder: string, { summary, details }: WholeSummary): void {
  const lines = [summary, details].map((line) => `${JSON.stringify(line)}\n`);
  replaceFile(join(folder, SUMMARY_FILE), lines.join(''));
}

/** What one after the other is read into: thousands of summaries leave nothing behind. */
const buffer = Buffer.allocUnsafe(MOST_SUMMARY_BYTES + 1);
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** The bytes of a folder's summary, until the next is read; null: it has none. */
function bytesIn(folder: string): Buffer | null {
  let fd: number;
  try {
    // Neither a link is followed nor a pipe waited for, and no more is read than any of ours has.
    fd = openSync(`${folder}/${SUMMARY_FILE}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const code = errnoCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw unreadable(error);
  }
  try {
    const length = readSync(fd, buffer, 0, buffer.length, 0);
    if (length > MOST_SUMMARY_BYTES) throw tooLarge();
    return buffer.subarray(0, length);
  } catch (error) {
    throw error instanceof FormatError ? error : unreadable(error);
  } finally {
    closeSync(fd);
  }
}

/** The first line of the summary in a recording's folder; null: it has none. Throws FormatError for one that cannot be believed. */
export function readSummary(folder: string): RecordingSummary | null {
  const bytes = bytesIn(folder);
  return bytes && parseSummary(firstLine(bytes));
}

/** The second line. */
export function readDetails(folder: string): SummaryDetails {
  const bytes = bytesIn(folder);
  if (!bytes) throw new FormatError('it is gone');
  return parseDetails(secondLine(bytes));
}

/** That of a packed recording. */
export function summaryIn(files: Files): WholeSummary | null {
  const packed = files.read(SUMMARY_FILE);
  if (packed === null) return null;
  if (packed.length > MOST_SUMMARY_BYTES) throw tooLarge();
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
  return { summary: parseSummary(firstLine(bytes)), details: parseDetails(secondLine(bytes)) };
}

function firstLine(bytes: Buffer): string {
  const end = bytes.indexOf(0x0a);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

function secondLine(bytes: Buffer): string {
  const start = bytes.indexOf(0x0a) + 1;
  const end = bytes.indexOf(0x0a, start);
  return bytes.toString('utf8', start, end < 0 ? bytes.length : end);
}

const tooLarge = () => new FormatError(`it has more than ${MOST_SUMMARY_BYTES} bytes`);

function unreadable(error: unknown): FormatError {
  const code = errnoCode(error) ?? 'unknown';
  const what = code === 'ELOOP' ? 'it is a link' : `it cannot be read (${code})`;
  return new FormatError(what, { cause: error });
}
