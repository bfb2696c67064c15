import { Ajv } from 'ajv';
import type { JSONSchema7 as Schema } from 'json-schema';

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });

/**
 * What is wrong with a value, each with its place; nothing where it is as the schema says. Stricter than
 * the schemas that we publish: a key that the schema does not name is wrong too, so that none is added unsaid.
 */
export function schemaErrors(schema: Schema, value: unknown): string[] {
  const validate = ajv.compile(closed(schema));
  if (validate(value)) return [];
  return validate.errors!.map(({ instancePath, message, params }) => {
    const key = params.additionalProperty ?? params.missingProperty;
    return `${instancePath}${key === undefined ? '' : `/${key}`}: ${message}`;
  });
}

const known = new WeakMap<Schema, Schema>();

/** The same schema with no keys in its objects but those that it names. */
function closed(schema: Schema): Schema {
  const found =
    known.get(schema) ??
    JSON.parse(JSON.stringify(schema), (_key, value) =>
      value?.type === 'object' ? { additionalProperties: false, ...value } : value,
    );
  known.set(schema, found);
  return found;
}
