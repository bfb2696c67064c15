import { CAUSES, CERTAINTIES, MOST_VERDICT_BYTES, type Verdict } from '../../src/model/verdict.ts';

/** What is wrong with the verdict of a whole output, as it was read back; nothing, where all is well. */
export function verdictProblems(output: unknown): string[] {
  const { verdict } = output as { verdict?: Verdict };
  if (!verdict) return ['there is no verdict'];
  const { cause, certainty, causes, evidence, against, fixes, untrusted } = verdict;
  const found: string[] = [];
  const bytes = Buffer.byteLength(JSON.stringify({ verdict }, null, 2));
  if (bytes > MOST_VERDICT_BYTES) found.push(`${bytes} bytes`);
  if (!(cause.code in CAUSES)) found.push(`unknown code ${cause.code}`);
  if (!(certainty in CERTAINTIES)) found.push(`unknown certainty ${certainty}`);
  for (const { id, certainty: sure } of causes) {
    if (!(id in CAUSES)) found.push(`unknown cause ${id}`);
    if (!(sure >= 0 && sure <= 1)) found.push(`${id} is ${sure} sure`);
  }
  for (const { at, value, statement } of [...evidence, ...against, ...ofCauses(verdict)]) {
    const there = valueAt(output, at);
    if (there === undefined) found.push(`nothing at ${at}`);
    if (value !== null && value !== there) found.push(`${at}: ${value} is not ${there}`);
    if (typeof there === 'number' && value === null) found.push(`${at}: ${there} is not told`);
    if (statement === '') found.push(`${at}: says nothing`);
  }
  const said = sentences(verdict);
  const named = new Set(said.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map((m) => m[1]!)));
  const texts = Object.keys(untrusted.texts);
  for (const name of named) if (!texts.includes(name)) found.push(`{${name}} stands for nothing`);
  for (const name of texts) if (!named.has(name)) found.push(`${name} is used nowhere`);
  for (const text of [...said, ...Object.values(untrusted.texts)]) {
    if (/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) found.push(`invisible: ${JSON.stringify(text)}`);
    if (/undefined|NaN|\[object/.test(text) && said.includes(text)) found.push(`broken: ${text}`);
  }
  for (const { bytes: gain } of fixes) {
    if (gain && !(gain.low <= gain.high && gain.low >= 0))
      found.push(`gains ${gain.low}…${gain.high}`);
  }
  return found;
}

/** All words of a verdict that are ours. */
export const sentences = (verdict: Verdict): string[] => {
  const { cause, evidence, against, fixes, next } = verdict;
  return [
    cause.sentence,
    ...[...evidence, ...against, ...ofCauses(verdict)].map(({ statement }) => statement),
    ...fixes.map(({ what }) => what),
    ...(next ? [next.why] : []),
  ];
};

const ofCauses = ({ causes }: Verdict) =>
  causes.flatMap((one) => [...one.evidence, ...one.against]);

/** What a JSON pointer points at. */
export function valueAt(root: unknown, pointer: string): unknown {
  let found: unknown = root;
  for (const part of pointer.split('/').slice(1)) {
    found = (found as Record<string, unknown> | null | undefined)?.[part];
  }
  return found;
}
