import { ProtobufReader, type Varint } from './protobuf-reader.ts';

/** profile.proto as plain data; texts are indexes of `strings`. */
export interface RawProfile {
  readonly types: { type: number; unit: number }[];
  readonly samples: RawSample[];
  readonly mappings: Map<Varint, { start: Varint; offset: Varint; file: number }>;
  readonly locations: Map<Varint, RawLocation>;
  readonly functions: Map<Varint, { name: number; file: number }>;
  readonly strings: string[];
  readonly comments: Varint[];
  timeNanos: Varint;
  periodType: { type: number; unit: number } | null;
  period: Varint;
}

export interface RawSample {
  /** The innermost first. */
  readonly locations: Varint[];
  readonly values: Varint[];
  readonly labels: { key: number; text: number }[];
}

export interface RawLocation {
  readonly mapping: Varint;
  readonly address: Varint;
  /** Several where calls were inlined: the innermost first. */
  readonly lines: { function: Varint; line: number }[];
}

export function decodeProfile(bytes: Uint8Array, name: string): RawProfile {
  const profile: RawProfile = {
    types: [],
    samples: [],
    mappings: new Map(),
    locations: new Map(),
    functions: new Map(),
    strings: [],
    comments: [],
    timeNanos: 0,
    periodType: null,
    period: 0,
  };
  const reader = new ProtobufReader(bytes, name);
  while (reader.next()) readField(reader, profile);
  return profile;
}

function readField(reader: ProtobufReader, profile: RawProfile): void {
  switch (reader.field) {
    case 1:
      profile.types.push(valueType(reader.message()));
      return;
    case 2:
      profile.samples.push(sample(reader.message()));
      return;
    case 3:
      mapping(reader.message(), profile);
      return;
    case 4:
      location(reader.message(), profile);
      return;
    case 5:
      functionOf(reader.message(), profile);
      return;
    case 6:
      profile.strings.push(reader.text());
      return;
    case 9:
      profile.timeNanos = reader.single();
      return;
    case 11:
      profile.periodType = valueType(reader.message());
      return;
    case 12:
      profile.period = reader.single();
      return;
    case 13:
      reader.repeated(profile.comments);
      return;
    default:
      reader.skip();
  }
}

/** Fields of a message that are numbers, the last of each, 0 where absent. */
function numbers(reader: ProtobufReader, most: number): Varint[] {
  const found: Varint[] = new Array(most + 1).fill(0);
  while (reader.next()) {
    if (reader.field <= most && reader.wire === 0) found[reader.field] = reader.varint();
    else reader.skip();
  }
  return found;
}

function valueType(reader: ProtobufReader) {
  const [, type, unit] = numbers(reader, 2);
  return { type: Number(type), unit: Number(unit) };
}

function sample(reader: ProtobufReader): RawSample {
  const found: RawSample = { locations: [], values: [], labels: [] };
  while (reader.next()) {
    if (reader.field === 1) reader.repeated(found.locations);
    else if (reader.field === 2) reader.repeated(found.values);
    else if (reader.field === 3) {
      const [, key, text] = numbers(reader.message(), 2);
      found.labels.push({ key: Number(key), text: Number(text) });
    } else reader.skip();
  }
  return found;
}

function mapping(reader: ProtobufReader, { mappings }: RawProfile): void {
  const [, id, start, , offset, file] = numbers(reader, 5);
  mappings.set(id!, { start: start!, offset: offset!, file: Number(file) });
}

function location(reader: ProtobufReader, { locations }: RawProfile): void {
  let [id, of, address]: Varint[] = [0, 0, 0];
  const lines: RawLocation['lines'] = [];
  while (reader.next()) {
    if (reader.field === 1) id = reader.single();
    else if (reader.field === 2) of = reader.single();
    else if (reader.field === 3) address = reader.single();
    else if (reader.field === 4) {
      const [, owner, line] = numbers(reader.message(), 2);
      lines.push({ function: owner!, line: Number(line) });
    } else reader.skip();
  }
  if (id === 0) throw reader.refusal('has a place without a number');
  locations.set(id!, { mapping: of!, address: address!, lines });
}

function functionOf(reader: ProtobufReader, { functions }: RawProfile): void {
  const [, id, name, systemName, file] = numbers(reader, 4);
  if (id === 0) throw reader.refusal('has a function without a number');
  functions.set(id!, { name: Number(name) || Number(systemName), file: Number(file) });
}

/** What fields of a profile are made of: 0 a number, 2 the rest; 13 may be both. */
const KINDS: Readonly<Record<number, readonly number[]>> = {
  ...{ 1: [2], 2: [2], 3: [2], 4: [2], 5: [2], 6: [2], 7: [0], 8: [0], 9: [0], 10: [0] },
  ...{ 11: [2], 12: [0], 13: [0, 2], 14: [0], 15: [0] },
};

/**
 * Whether a file with this beginning is a profile: it begins with what its values are (in Go, with what was sampled by), two
 * small numbers each, and all fields that are whole are those of a profile.
 */
export function looksLikeProfile(head: Uint8Array): boolean {
  const reader = new ProtobufReader(head, '');
  let types = 0;
  let fields = 0;
  try {
    while (reader.next()) {
      if (!KINDS[reader.field]?.includes(reader.wire)) return false;
      const isType = reader.field === 1 || reader.field === 11;
      if (fields++ === 0 && !isType) return false;
      if (!isType) {
        reader.skip();
        continue;
      }
      const inner = reader.message();
      while (inner.next()) {
        if (inner.field > 2 || inner.wire !== 0 || inner.number() > 1e6) return false;
      }
      if (reader.field === 1) types++;
    }
  } catch {
    // The head ends somewhere: what came before it has to do.
  }
  return types > 0 && fields > 1;
}
