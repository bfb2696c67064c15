import type { Schema } from '../../scripts/json-schemas/schema.ts';

export type Root = Schema & { readonly $defs?: Readonly<Record<string, Schema>> };

/**
 * What is wrong with a value, each with its place; nothing where it is as the schema says. Stricter than
 * JSON Schema: a key that the schema does not name is wrong too, so that none is added unsaid.
 */
export function schemaErrors(root: Root, value: unknown): string[] {
  return errors(root, root, value, '$');
}

function errors(root: Root, schema: Schema, value: unknown, at: string): string[] {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/$defs/', '');
    const found = root.$defs?.[name];
    return found ? errors(root, found, value, at) : [`${at}: there is no definition ${name}`];
  }
  if (schema.anyOf) return noneOf(root, schema.anyOf, value, at);
  if ('const' in schema && value !== schema.const) {
    return [`${at}: ${shown(value)} instead of ${shown(schema.const)}`];
  }
  if (schema.enum && !schema.enum.includes(value)) {
    return [`${at}: ${shown(value)} is none of ${shown(schema.enum)}`];
  }
  const types = schema.type === undefined ? null : [schema.type].flat();
  if (types && !types.includes(typeOf(value))) {
    return [`${at}: ${shown(value)} is no ${types.join(' or ')}`];
  }
  if (Array.isArray(value)) return listErrors(root, schema, value, at);
  if (typeOf(value) === 'object' && types?.includes('object')) {
    return objectErrors(root, schema, value as Record<string, unknown>, at);
  }
  return [];
}

/** Of several that do not fit, what is wrong with the one that fits best. */
function noneOf(root: Root, all: readonly Schema[], value: unknown, at: string): string[] {
  const tried = all.map((one) => errors(root, one, value, at));
  if (tried.some((found) => found.length === 0)) return [];
  const deep = tried.filter((found) => found.some((text) => !text.startsWith(`${at}: `)));
  const [best] = (deep.length > 0 ? deep : tried).sort((a, b) => a.length - b.length);
  return best ?? [`${at}: nothing is allowed here`];
}

function listErrors(root: Root, { items, prefixItems }: Schema, list: unknown[], at: string) {
  const long = prefixItems && prefixItems.length !== list.length;
  if (long) return [`${at}: ${list.length} instead of ${prefixItems.length}`];
  return list.flatMap((one, i) =>
    errors(root, prefixItems?.[i] ?? items ?? {}, one, `${at}[${i}]`),
  );
}

function objectErrors(root: Root, schema: Schema, object: Record<string, unknown>, at: string) {
  const { properties = {}, required = [], additionalProperties } = schema;
  const absent = required.filter((key) => !(key in object)).map((key) => `${at}.${key} is absent`);
  const wrong = Object.entries(object).flatMap(([key, value]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    return known
      ? errors(root, known, value, `${at}.${key}`)
      : [`${at}.${key} is not in the schema`];
  });
  return [...absent, ...wrong];
}

const shown = (value: unknown) => JSON.stringify(value)?.slice(0, 80);

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
