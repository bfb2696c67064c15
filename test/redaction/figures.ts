import { report } from '../../src/analyses/report.ts';
import { locate } from '../../src/open/locate.ts';
import { openWithTraces } from '../../src/open/open.ts';
import { redactedCopy } from '../../src/open/redacted-copy.ts';
import { tempFolder } from '../support/files.ts';

/** Everything but the words: numbers, flags, nulls and how they are nested. */
export function figuresOf(value: unknown): unknown {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return value.map(figuresOf);
  if (typeof value !== 'object' || value === null) return value;
  // Names may be keys; those that are fields of ours have capitals or are the same anyway.
  return Object.values(value).map(figuresOf);
}

/** The whole report, as `report --json` has it; `notes` are added to what the recording itself warns of. */
export async function reportOf(
  path: string,
  notes: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const { recording, snapshots, rankTraces } = await openWithTraces(locate(path));
  recording.run.warnings.push(...notes);
  const { warnings: _said, ...rest } = JSON.parse(
    JSON.stringify(report(recording, snapshots, rankTraces)),
  );
  return rest;
}

/** What a copy says of itself, which the original does not. */
export async function notesOf(copy: string): Promise<string[]> {
  const { recording } = await openWithTraces(locate(copy));
  return recording.run.warnings.filter((text) => text.includes('were taken out'));
}

export function copyOf(
  path: string,
  onLeftOut: (what: string) => void = () => {},
): Promise<string> {
  return redactedCopy(path, tempFolder(), { users: ['annabel'], hosts: ['gpu7'], onLeftOut });
}
