import type { Recording } from '../../../model/recording.ts';
import type { AllocatorInfo } from '../../../model/run.ts';

type Value = AllocatorInfo['settings'][string];

/** A setting of the allocator that is not the same everywhere. */
export interface SettingDifference {
  readonly setting: string;
  /** By run; null where a run's source does not tell it. */
  readonly values: Readonly<Record<string, Value>>;
}

export function settingDifferences(
  runs: readonly { readonly name: string; readonly recording: Recording }[],
): SettingDifference[] {
  // One that tells no settings at all cannot differ in one.
  const telling = runs.filter(({ recording }) => Object.keys(settingsOf(recording)).length > 0);
  const names = new Set(telling.flatMap(({ recording }) => Object.keys(settingsOf(recording))));
  return [...names].flatMap((setting) => {
    const values = telling.map(({ recording }) => settingsOf(recording)[setting] ?? null);
    if (new Set(values).size <= 1) return [];
    return [
      { setting, values: Object.fromEntries(telling.map(({ name }, i) => [name, values[i]!])) },
    ];
  });
}

const settingsOf = ({ run }: Recording): AllocatorInfo['settings'] => run.allocator?.settings ?? {};
