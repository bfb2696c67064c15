import {
  beside,
  choices,
  HELPERS,
  named,
  type Placed,
  resolved,
  type Shape,
  shapes,
} from './shape.ts';
import type { TypeSyntax } from './type-syntax.ts';

/** JSON Schema, the few words of it that types need. */
export interface Schema {
  readonly description?: string;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
}

const NULL: Schema = { type: 'null' };
const PLAIN = ['string', 'number', 'boolean', 'null'];

/** Schemas of types that refer to each other: each that has a name of its own is defined once. */
export class SchemaWriter {
  readonly #names = new Map<string, string>();
  readonly defs: Record<string, Schema> = {};

  of(given: Placed): Schema {
    const placed = resolved(given);
    const { type } = placed;
    const inner = (one: TypeSyntax) => this.of(beside(placed, one));
    switch (type.is) {
      case 'literal':
        return { const: type.value };
      case 'array':
        return { type: 'array', items: inner(type.of) };
      case 'tuple':
        return { type: 'array', prefixItems: type.of.map(inner) };
      case 'union':
        return anyOf(type.of.filter((one) => !isUndefined(one)).map(inner));
      case 'name':
        if (PLAIN.includes(type.name)) return { type: type.name };
        if (type.name === 'NumberOrNaN') return { type: ['number', 'null'] };
        if (type.name === 'unknown') return {};
        if (type.name === 'true' || type.name === 'false') return { const: type.name === 'true' };
        if (!HELPERS.includes(type.name)) return this.#reference(placed, type.name, type.args);
        break;
    }
    return anyOf(shapes(placed).map((shape) => this.#object(shape)));
  }

  #reference(from: Placed, word: string, args: readonly TypeSyntax[]): Schema {
    const type = named(from, word, args);
    const { doc, file } = from.file.declared(word);
    // A name for a few words is told by these words.
    if (choices(type).every((one) => one.type.is === 'literal')) {
      return described(this.of(type), doc);
    }
    const key = JSON.stringify([file.path, word, args]);
    let name = this.#names.get(key);
    if (name === undefined) {
      const full = [word, ...args.map((one) => (one.is === 'name' ? one.name : ''))].join('Of');
      name = full;
      for (let n = 2; name in this.defs; n++) name = `${full}${n}`;
      this.#names.set(key, name);
      this.defs[name] = {}; // first, as a type may have itself as a part
      this.defs[name] = described(this.of(type), doc);
    }
    return { $ref: `#/$defs/${name}` };
  }

  #object(shape: Shape): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    let others: Schema | undefined;
    for (const [name, { optional, type, doc }] of shape) {
      const schema = this.of(type);
      // What is not there may also be written as null (views/json.ts).
      const value = described(optional ? anyOf([schema, NULL]) : schema, doc);
      if (name === null) others = value;
      else properties[name] = value;
      if (name !== null && !optional) required.push(name);
    }
    return {
      type: 'object',
      ...(shape.size > (others ? 1 : 0) && { properties, required }),
      ...(others && { additionalProperties: others }),
    };
  }
}

const isUndefined = (type: TypeSyntax) => type.is === 'name' && type.name === 'undefined';

const described = (schema: Schema, doc: string | null): Schema =>
  doc === null ? schema : { description: doc, ...schema };

/** One of these; constants among them become one list, plain types one word. */
function anyOf(given: readonly Schema[]): Schema {
  const flat = given.flatMap((one) => (one.anyOf && !one.description ? one.anyOf : [one]));
  const values = flat.flatMap((one) => (isBare(one, 'const') ? [one.const] : (one.enum ?? [])));
  const types = flat.flatMap((one) => (isBare(one, 'type') ? one.type! : []));
  const rest = flat.filter((one) => !isBare(one, 'const') && !isBare(one, 'type') && !one.enum);
  const unique = new Map(rest.map((one) => [JSON.stringify(one), one]));
  const all: Schema[] = [...unique.values()];
  if (values.length > 0)
    all.unshift(values.length > 1 ? { enum: [...new Set(values)] } : { const: values[0] });
  if (types.length > 0) all.push({ type: types.length > 1 ? [...new Set(types)] : types[0]! });
  return all.length === 1 ? all[0]! : { anyOf: all };
}

const isBare = (schema: Schema, key: keyof Schema) =>
  key in schema && Object.keys(schema).length === 1;
