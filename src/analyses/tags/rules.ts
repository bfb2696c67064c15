/**
 * Which category a tag belongs to: the first rule whose text is somewhere in the tag, brackets
 * included, so that `(data)` is met by that tag alone and not by `in_arg:data_bias`. To add rules of
 * your own, write a file for `analyze --rules` (docs/analyze.md): they come before all of these.
 */
export interface TagRule {
  /** Text to look for, in capitals or not as written. */
  readonly match: string;
  /** The key under which the tag is counted and saved. */
  readonly category: string;
  readonly group: TagGroup;
  /** What to call the category in tables and charts. */
  readonly label: string;
}

/** Weights are those of the model and their gradients; unknown is what no tag explains. */
export type TagGroup = 'weights' | 'forward' | 'unknown';

const rule = (match: string, label: string, category = match): TagRule => ({
  match,
  category,
  group: 'forward',
  label,
});
const weights = (match: string, label: string): TagRule => ({
  ...rule(match, label),
  group: 'weights',
});
const unknown = (match: string, label: string): TagRule => ({
  ...rule(match, label),
  group: 'unknown',
});

/** Tags that `logAllocations` writes and MXNet does not; first, as they name operations too. */
const OWN: readonly TagRule[] = [rule('backward_features', 'Intermediate gradients')];

/** The MXNet memory profiler's list, in its order, which decides: `in_arg:embed_weight` is a weight. */
const MXNET: readonly TagRule[] = [
  weights('in_arg', 'Weights'),
  weights('arg_grad', 'Weight gradients'),
  rule('aux_state', 'Auxiliary state'),
  rule('optimizer', 'Optimizer'),
  rule('workspace', 'Workspace'),
  rule('rnn', 'RNN'),
  rule('embed', 'Embedding'),
  rule(':_mul', 'Multiply'),
  rule('rsqrt', 'Square root'),
  rule(':mean', 'Mean'),
  rule('att', 'Attention'),
  rule(':split', 'Split'),
  rule('logit', 'Logits'),
  rule('swapaxes', 'Swap axes'),
  rule('square', 'Square'),
  rule('softmax', 'Softmax'),
  rule('sequencereverse', 'Sequence reverse'),
  rule('dot', 'Dot product'),
  rule(':broadcast', 'Broadcast'),
  rule('zeros', 'Zeros'),
  rule('sum', 'Sum'),
  rule('transpose', 'Transpose'),
  rule(':dropout', 'Dropout'),
  rule('slice', 'Slice'),
  rule('cnn', 'CNN'),
  rule('arange', 'Range'),
  rule('dot', 'Dot product'),
  rule('fullyconnected', 'Fully connected'),
  rule('sequencemask', 'Sequence mask'),
  rule('conv', 'Convolution'),
  rule('activation', 'Activation'),
  rule('reshape', 'Reshape'),
  rule('transformer', 'Transformer'),
  rule('relu', 'ReLU'),
  rule('pool', 'Pooling'),
  rule('bn', 'Batch norm'),
  rule(':id', 'Identity'),
  rule(':fc', 'Fully connected (fc)'),
  rule('_sc', 'Shortcut'),
  rule('_equal_scalar', 'Equal to scalar'),
  rule('(source)', 'Source'),
  rule('(target)', 'Target'),
  rule('(target_label)', 'Target label'),
  rule('(data)', 'Input data'),
  rule('dropout', 'Dropout'),
  unknown('untagged', 'Untagged'),
  unknown('warning!,ctx_source_unclear', 'Source unclear'),
];

/** What MXNet 1.x and `logAllocations` name and the list above does not know. */
const LATER: readonly TagRule[] = [
  rule('temp_space', 'Workspace', 'workspace'),
  unknown('nvml_amend', 'Outside the allocator'),
  rule('matmul', 'Matrix product'),
  rule('@mm', 'Matrix product', 'matmul'),
  rule('@addmm', 'Matrix product', 'matmul'),
  rule('@bmm', 'Matrix product', 'matmul'),
  rule('batch_norm', 'Batch norm', 'bn'),
  rule('layer_norm', 'Layer norm'),
  rule('@', 'Other operations', 'operation'),
];

export const TAG_RULES: readonly TagRule[] = [...OWN, ...MXNET, ...LATER];

/** Under which tags are counted that no rule meets. */
export const UNMATCHED: TagRule = { ...unknown('', 'No rule'), category: 'unknown' };

/** The rule that decides on a tag. */
export function ruleOf(tag: string, rules: readonly TagRule[]): TagRule {
  const written = `(${tag}).`;
  return rules.find(({ match }) => written.includes(match)) ?? UNMATCHED;
}

/** What to call a category of which only the key is known, and its place among all. */
export function categoryLook(category: string): { label: string; place: number } {
  const place = PLACES.indexOf(category);
  if (place < 0) return { label: category, place: PLACES.length + letterSum(category) };
  const known = [...TAG_RULES, UNMATCHED].find((one) => one.category === category)!;
  return { label: known.label, place };
}

const PLACES = [...new Set([...TAG_RULES, UNMATCHED].map(({ category }) => category))];

/** Of a user's own category: equal in all files, and seldom that of another. */
const letterSum = (text: string) =>
  [...text].reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) % 1009, 7);
