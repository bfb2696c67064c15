import type { TagAnalysis } from '../../analyses/tags/index.ts';

const VERSION = 1;

export interface AnalyzedLog {
  readonly path: string;
  readonly out: string;
  readonly analysis: TagAnalysis;
}

/** `analyze --json`: keys are added, never renamed. Single tags are in the files that it names. */
export function tagsResult(
  logs: readonly AnalyzedLog[],
  ignored: readonly { path: string; reason: string }[],
) {
  return {
    type: 'tag-analyses' as const,
    schemaVersion: VERSION,
    logs: logs.map(({ path, out, analysis }) => {
      const { type: _type, categories, ...rest } = analysis;
      const summary = categories.map(({ tags: _tags, ...category }) => category);
      summary.sort((a, b) => b.bytes - a.bytes);
      return { path, out, ...rest, categories: summary };
    }),
    ignored,
  };
}
