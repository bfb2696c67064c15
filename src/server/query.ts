import { UserError } from '../base/errors.ts';
import { Columns, encodeColumns } from '../model/columns.ts';
import { RESOURCES } from './resources/index.ts';
import type { OpenJob, Payload } from './resources/resource.ts';

/** A question that names nothing we have. */
export class NotThere extends UserError {}

/** An answer as it travels. */
export interface Answer {
  readonly kind: 'json' | 'columns';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Answers `run/0/timeline` and `job/compare`. */
export async function answer(job: OpenJob, path: string, query: string): Promise<Answer> {
  const [scope, ...rest] = path.split('/');
  const [id, name] = scope === 'run' ? rest : [undefined, rest[0]];
  const run = job.runs.find((one) => one.id === id);
  if (scope === 'run' && !run) throw new NotThere(`there is no open run ${id}`);
  const resource = RESOURCES.find((one) => one.scope === scope && one.name === name);
  if (!resource?.has(job, run)) throw new NotThere(`there is no ${name ?? 'such thing'} here`);
  return encode(await resource.get(job, run, new URLSearchParams(query)));
}

function encode(payload: Payload): Answer {
  if (payload instanceof Columns) {
    return { kind: 'columns', bytes: encodeColumns(payload.header, payload.arrays) };
  }
  return { kind: 'json', bytes: new TextEncoder().encode(JSON.stringify(payload)) };
}
