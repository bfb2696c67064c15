import type { SourceFile } from './source-file.ts';
import type { Member, TypeSyntax } from './type-syntax.ts';

/** A type with the file that its names are looked up in. */
export interface Placed {
  readonly type: TypeSyntax;
  readonly file: SourceFile;
  /** What the parameters of the type around it stand for. */
  readonly given?: ReadonlyMap<string, Placed>;
}

/** A member of an object, with the file that it was written in. */
export interface PlacedMember extends Omit<Member, 'type'> {
  readonly type: Placed;
}

/** The members of an object by name; null is any other key. */
export type Shape = ReadonlyMap<string | null, PlacedMember>;

const PLAIN = ['string', 'number', 'boolean', 'null', 'undefined', 'unknown', 'true', 'false'];
/** Helpers whose result is an object. */
export const HELPERS = ['Record', 'Partial', 'Pick', 'Omit'];
const LISTS = ['Array', 'ReadonlyArray'];

const isNothing = ({ type }: Placed) =>
  type.is === 'name' && (type.name === 'null' || type.name === 'undefined');

/** Another type of the same place. */
export const beside = (placed: Placed, type: TypeSyntax): Placed => ({ ...placed, type });

/** What a name stands for: a parameter's type, or the declared one made for its arguments. */
export function named(placed: Placed, name: string, args: readonly TypeSyntax[]): Placed {
  const parameter = placed.given?.get(name);
  if (parameter) return parameter;
  const { type, file, params } = placed.file.declared(name);
  const given = new Map(params.map((param, i) => [param, beside(placed, args[i]!)]));
  return { type, file, given };
}

/** The same type with what only refers to another one followed: no access, alias of a helper, constant. */
export function resolved(placed: Placed): Placed {
  const { type, file } = placed;
  if (type.is === 'constant') return { type: file.constant(type.name), file };
  if (type.is === 'at')
    return resolved(accessed(beside(placed, type.of), beside(placed, type.key)));
  if (type.is === 'keys') {
    const names = shapes(beside(placed, type.of)).flatMap((shape) => [...shape.keys()]);
    return { type: { is: 'union', of: names.map((name) => literal(name!)) }, file };
  }
  if (type.is !== 'name') return placed;
  const parameter = placed.given?.get(type.name);
  if (parameter) return resolved(parameter);
  const [first] = type.args;
  if (type.name === 'Readonly') return resolved(beside(placed, first!));
  if (LISTS.includes(type.name)) return beside(placed, { is: 'array', of: first! });
  if (type.name === 'NonNullable') {
    return rest(choices(beside(placed, first!)).filter((one) => !isNothing(one)));
  }
  if (type.name === 'Exclude') {
    const out = keysOf(beside(placed, type.args[1]!));
    const isOut = ({ type: one }: Placed) =>
      one.is === 'literal' && out.includes(String(one.value));
    return rest(choices(beside(placed, first!)).filter((one) => !isOut(one)));
  }
  return placed;
}

/** What is left of a union. */
function rest(left: readonly Placed[]): Placed {
  const [first] = left;
  if (!first || left.some(({ file }) => file !== first.file)) {
    throw new Error('a union of types of several files is not understood');
  }
  return beside(first, { is: 'union', of: left.map(({ type }) => type) });
}

/** What a union may be, one by one; a type that is none, alone. */
export function choices(given: Placed): Placed[] {
  const placed = resolved(given);
  const { type } = placed;
  if (type.is === 'union') return type.of.flatMap((one) => choices(beside(placed, one)));
  if (type.is === 'name' && ![...PLAIN, ...HELPERS].includes(type.name)) {
    const declared = named(placed, type.name, type.args);
    if (declared.type.is === 'union') return choices(declared);
  }
  return [placed];
}

function accessed(of: Placed, key: Placed): Placed {
  if (key.type.is === 'name' && key.type.name === 'number') {
    const list = followed(of);
    if (list.type.is === 'array') return beside(list, list.type.of);
    if (list.type.is === 'tuple') return beside(list, { is: 'union', of: list.type.of });
  }
  const any = key.type.is === 'name' && key.type.name === 'string';
  const names = any ? [null] : keysOf(key);
  const found = shapes(of).flatMap((shape) => names.flatMap((name) => shape.get(name)?.type ?? []));
  return rest(found);
}

/** With names of types followed too. */
function followed(given: Placed): Placed {
  const placed = resolved(given);
  const { type } = placed;
  if (type.is !== 'name' || PLAIN.includes(type.name)) return placed;
  return followed(named(placed, type.name, type.args));
}

function keysOf(placed: Placed): string[] {
  return choices(placed).map(({ type, file }) => {
    if (type.is !== 'literal') throw new Error(`${file.path}: a key that is no text`);
    return String(type.value);
  });
}

const literal = (value: string): TypeSyntax => ({ is: 'literal', value });

/** The objects that a type may be. */
export function shapes(given: Placed): Shape[] {
  const placed = resolved(given);
  const { type, file } = placed;
  if (type.is === 'object') {
    const own = type.members.map((one) => ({ ...one, type: beside(placed, one.type) }));
    return [new Map(own.map((member) => [member.name, member]))];
  }
  if (type.is === 'union') return type.of.flatMap((one) => shapes(beside(placed, one)));
  if (type.is === 'both') {
    const parts = type.of.map((one) => shapes(beside(placed, one)));
    return parts.reduce((all, some) => all.flatMap((a) => some.map((b) => new Map([...a, ...b]))));
  }
  if (type.is !== 'name') throw new Error(`${file.path}: ${type.is} is no object`);
  const [first, second] = type.args.map((one) => beside(placed, one));
  if (type.name === 'Record') return [recordShape(first!, second!)];
  if (type.name === 'Partial') return shapes(first!).map(loose);
  if (type.name === 'Pick' || type.name === 'Omit') {
    const names = keysOf(second!);
    const wanted = type.name === 'Pick';
    return shapes(first!).map(
      (shape) => new Map([...shape].filter(([name]) => names.includes(name!) === wanted)),
    );
  }
  return shapes(named(placed, type.name, type.args));
}

const loose = (shape: Shape): Shape =>
  new Map([...shape].map(([name, member]) => [name, { ...member, optional: true }]));

function recordShape(key: Placed, value: Placed): Shape {
  const open = choices(key).some(({ type }) => type.is === 'name');
  const names = open ? [null] : keysOf(key);
  const member = { optional: false, type: value, doc: null };
  return new Map(names.map((name) => [name, { ...member, name }]));
}
