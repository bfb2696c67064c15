import { UserError } from '../base/errors.ts';
import { Columns, encodeColumns } from '../model/columns.ts';
import type { EncodedAnswer } from '../model/questions.ts';
import type { OpenInputs } from './opened.ts';
import { RESOURCES } from './resources/index.ts';
import type { Payload } from './resources/resource.ts';

/** A question that names nothing we have. */
export class NotFound extends UserError {}

/** Answers `run/0/timeline` and `job/compare`. */
export async function answer(
  opened: OpenInputs,
  path: string,
  query: string,
  signal?: AbortSignal,
): Promise<EncodedAnswer> {
  const [scope, ...rest] = path.split('/');
  const [id, name] = scope === 'run' ? rest : [undefined, rest[0]];
  const run = opened.runs.find((one) => one.id === id);
  if (scope === 'run' && !run) throw new NotFound(`there is no open run ${id}`);
  const resource = RESOURCES.find((one) => one.scope === scope && one.name === name);
  if (!resource?.has(opened, run)) throw new NotFound(`there is no ${name ?? 'such thing'} here`);
  return encode(await resource.get(opened, run, new URLSearchParams(query), signal));
}

function encode(payload: Payload): EncodedAnswer {
  if (payload instanceof Columns) {
    return { kind: 'columns', bytes: encodeColumns(payload.header, payload.arrays) };
  }
  return { kind: 'json', bytes: new TextEncoder().encode(JSON.stringify(payload)) };
}
