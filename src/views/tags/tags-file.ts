import type { TagAnalysis } from '../../analyses/tags/index.ts';

/**
 * `<log>_ANALYSIS` in the shape of the MXNet memory profiler's own, to the byte: bytes as floats, tags
 * with the brackets, full stop and line end that they have in the log, beyond ASCII in escapes.
 */
export function* analysisFile(analysis: TagAnalysis): Generator<string> {
  if (analysis.categories.length === 0) {
    yield '{}';
    return;
  }
  let before = '{\n';
  for (const { category, bytes, tags } of analysis.categories) {
    yield `${before}  ${quoted(category)}: [\n    ${float(bytes)},\n    [`;
    for (const [i, tag] of tags.entries()) {
      yield `${i === 0 ? '' : ','}\n      ${quoted(`(${tag}).\n`)}`;
    }
    yield tags.length === 0 ? ']\n  ]' : '\n    ]\n  ]';
    before = ',\n';
  }
  yield '\n}';
}

const float = (value: number) => (Number.isInteger(value) ? `${value}.0` : String(value));

const quoted = (text: string) =>
  JSON.stringify(text).replace(
    /[\x7f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
