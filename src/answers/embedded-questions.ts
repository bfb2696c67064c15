import type { OpenInputs, OpenRun } from './opened.ts';
import { RESOURCES } from './resources/index.ts';
import type { Resource } from './resources/resource.ts';

/** Questions of one resource whose answers a page carries that has nobody to ask. */
export interface EmbeddedQuestions {
  readonly resource: Resource;
  readonly run: OpenRun | undefined;
  /** `run/0/timeline`. */
  readonly path: string;
  readonly queries: readonly string[];
}

export function embeddedQuestions(opened: OpenInputs): EmbeddedQuestions[] {
  return RESOURCES.flatMap((resource) =>
    (resource.scope === 'run' ? opened.runs : [undefined])
      .filter((run) => resource.has(opened, run))
      .map((run) => ({
        resource,
        run,
        path: run ? `run/${run.id}/${resource.name}` : `job/${resource.name}`,
        queries: (resource.embed ? resource.embed(opened, run) : ['']) ?? [],
      })),
  );
}

/** As the page writes its questions. */
export function questionText(path: string, query: string): string {
  const words = new URLSearchParams(query);
  words.sort();
  return query === '' ? path : `${path}?${words}`;
}
