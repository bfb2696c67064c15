import {
  type LiveStack,
  liveStackPath,
  liveStacks,
  type ProfileMoment,
  profileMoment,
} from '../../model/allocations/live-stacks.ts';
import type { NamedRecording, Recording } from '../../model/recording.ts';
import { type Change, change } from '../allocations/diff/change.ts';
import { placeText } from '../allocations/top-stacks.ts';

/** One heap profile held against another: what was in use at the moment of each. */
export interface LiveStacksDifference {
  readonly a: string;
  readonly b: string;
  readonly moments: { readonly a: ProfileMoment; readonly b: ProfileMoment };
  readonly bytes: Change;
  /** null: one of them counts no objects. */
  readonly objects: Change | null;
  /** Lines worth reading with all stacks that lead there, where most changed first; those that are as before are left out. */
  readonly places: readonly PlaceChange[];
  readonly otherPlaces: { readonly count: number; readonly bytes: Change };
}

export interface PlaceChange {
  readonly where: string;
  readonly bytes: Change;
  readonly objects: Change | null;
}

const MOST_PLACES = 20;

/** Each against the first, or the baseline; none of fewer than two profiles. */
export function liveStacksDifferences(
  given: readonly NamedRecording[],
  baseline?: string,
): LiveStacksDifference[] {
  const profiles = given.flatMap(({ name, recording }) => {
    const rows = liveStacks(recording);
    return rows.length === 0
      ? []
      : [{ name, moment: profileMoment(rows), all: sum(rows), places: placesOf(recording, rows) }];
  });
  const first = profiles.find(({ name }) => name === baseline) ?? profiles[0];
  return profiles.filter((one) => one !== first).map((one) => difference(first!, one));
}

interface Held {
  readonly bytes: number;
  readonly objects: number | null;
}
type Places = ReadonlyMap<string, Held>;

const NOTHING: Held = { bytes: 0, objects: 0 };

function placesOf(recording: Recording, rows: readonly LiveStack[]): Places {
  const places = new Map<string, Held>();
  for (const row of rows) {
    if (row.bytes === 0) continue; // as code that was compiled, which has no size that is told
    const where = placeText(liveStackPath(recording, row).reverse());
    const known = places.get(where) ?? NOTHING;
    places.set(where, { bytes: known.bytes + row.bytes, objects: plus(known, row) });
  }
  return places;
}

const plus = (a: Held, b: Held) =>
  a.objects === null || b.objects === null ? null : a.objects + b.objects;

const sum = (rows: readonly Held[]): Held =>
  rows.reduce((all, one) => ({ bytes: all.bytes + one.bytes, objects: plus(all, one) }), NOTHING);

interface Profile {
  readonly name: string;
  readonly moment: ProfileMoment;
  readonly all: Held;
  readonly places: Places;
}

function difference(a: Profile, b: Profile): LiveStacksDifference {
  const names = new Set([...a.places.keys(), ...b.places.keys()]);
  const changes = [...names]
    .map((where) => ({
      where,
      ...between(a.places.get(where) ?? NOTHING, b.places.get(where) ?? NOTHING),
    }))
    .filter(({ bytes, objects }) => bytes.difference !== 0 || (objects?.difference ?? 0) !== 0)
    .sort((x, y) => Math.abs(y.bytes.difference) - Math.abs(x.bytes.difference));
  const rest = changes.slice(MOST_PLACES);
  const side = (key: 'a' | 'b') => rest.reduce((all, { bytes }) => all + bytes[key], 0);
  return {
    a: a.name,
    b: b.name,
    moments: { a: a.moment, b: b.moment },
    ...between(a.all, b.all),
    places: changes.slice(0, MOST_PLACES),
    otherPlaces: { count: rest.length, bytes: change(side('a'), side('b')) },
  };
}

const between = (a: Held, b: Held) => ({
  bytes: change(a.bytes, b.bytes),
  objects: a.objects === null || b.objects === null ? null : change(a.objects, b.objects),
});
