import type { Scanner } from './scanner.ts';

/** A type as it is written, names not yet looked up. */
export type TypeSyntax =
  | { readonly is: 'object'; readonly members: readonly Member[] }
  | { readonly is: 'name'; readonly name: string; readonly args: readonly TypeSyntax[] }
  | { readonly is: 'literal'; readonly value: string | number }
  | { readonly is: 'array'; readonly of: TypeSyntax }
  | { readonly is: 'tuple' | 'union' | 'both'; readonly of: readonly TypeSyntax[] }
  | { readonly is: 'at'; readonly of: TypeSyntax; readonly key: TypeSyntax }
  | { readonly is: 'keys'; readonly of: TypeSyntax }
  | { readonly is: 'constant'; readonly name: string };

export interface Member {
  /** null: any key. */
  readonly name: string | null;
  readonly optional: boolean;
  readonly type: TypeSyntax;
  readonly doc: string | null;
}

/** The part of TypeScript's types that plain data needs: no functions, no conditions. */
export function parseType(from: Scanner): TypeSyntax {
  return list(from, '|', 'union', (one) => list(one, '&', 'both', parseAccess));
}

function list(
  from: Scanner,
  sign: string,
  is: 'union' | 'both',
  parse: (from: Scanner) => TypeSyntax,
): TypeSyntax {
  from.skip(sign); // a leading one, before the first line of many
  const of = [parse(from)];
  while (from.skip(sign)) of.push(parse(from));
  return of.length === 1 ? of[0]! : { is, of };
}

/** `T[]`, `T['key']` and `T[number]`, any number of times. */
function parseAccess(from: Scanner): TypeSyntax {
  if (from.skip('readonly')) return parseAccess(from);
  if (from.skip('keyof')) return { is: 'keys', of: parseAccess(from) };
  let type = parseOne(from);
  while (from.skip('[')) {
    if (from.skip(']')) type = { is: 'array', of: type };
    else {
      type = { is: 'at', of: type, key: parseType(from) };
      from.expect(']');
    }
  }
  return type;
}

function parseOne(from: Scanner): TypeSyntax {
  const { kind, text } = from.peek();
  if (kind === 'text') return { is: 'literal', value: from.take().text };
  if (kind === 'number') return { is: 'literal', value: Number(from.take().text) };
  if (from.skip('-')) return { is: 'literal', value: -Number(from.take().text) };
  if (from.skip('(')) {
    const inner = parseType(from);
    from.expect(')');
    return inner;
  }
  if (from.skip('[')) return { is: 'tuple', of: until(from, ']', parsePlace) };
  if (text === '{') return parseMembers(from);
  if (from.skip('typeof')) return { is: 'constant', name: from.name() };
  const name = from.name();
  return { is: 'name', name, args: from.skip('<') ? until(from, '>', parseType) : [] };
}

/** A place of a tuple, which may have a name: `[label: string, bytes: number]`. */
function parsePlace(from: Scanner): TypeSyntax {
  const type = parseType(from);
  return from.skip(':') ? parseType(from) : type;
}

/** `{ … }`, as in an interface. */
export function parseMembers(from: Scanner): TypeSyntax {
  from.expect('{');
  const members: Member[] = [];
  while (!from.skip('}')) {
    const { doc } = from.peek();
    from.skip('readonly');
    const name = memberName(from);
    const optional = from.skip('?');
    from.expect(':');
    members.push({ name, optional, type: parseType(from), doc });
    if (!from.skip(';')) from.skip(',');
  }
  return { is: 'object', members };
}

function memberName(from: Scanner): string | null {
  if (!from.skip('[')) return from.peek().kind === 'text' ? from.take().text : from.name();
  from.name();
  from.expect(':');
  parseType(from);
  from.expect(']');
  return null;
}

/** The type of a constant's value: a list or an object of texts and numbers, or one of these. */
export function parseConstant(from: Scanner): TypeSyntax {
  if (from.skip('[')) return { is: 'tuple', of: until(from, ']', parseConstant) };
  if (!from.skip('{')) return parseOne(from);
  const entry = (one: Scanner): Member => {
    const { doc } = one.peek();
    const name = memberName(one);
    one.expect(':');
    return { name, optional: false, type: parseConstant(one), doc };
  };
  return { is: 'object', members: until(from, '}', entry) };
}

function until<T>(from: Scanner, end: string, parse: (from: Scanner) => T): T[] {
  const found: T[] = [];
  while (!from.skip(end)) {
    found.push(parse(from));
    if (!from.skip(',') && from.peek().text !== end) throw from.wrong(`',' or '${end}'`);
  }
  return found;
}
