/** What a live storage counts as. */
export type StorageKind =
  | 'weight'
  | 'buffer'
  | 'gradient'
  | 'optimizer'
  | 'feature_map'
  | 'intermediate_gradient'
  | 'input'
  | 'kept'
  | 'other';

export interface Purpose {
  readonly kind: StorageKind;
  /** The layer or parameter; empty where it belongs to none. */
  readonly name: string;
}

const known = new Map<string, Purpose>();

/** What a tag of the allocation lines means here (src/sdk/tags/tagger.ts writes them). */
export function purposeOf(tag: string): Purpose {
  let purpose = known.get(tag);
  if (!purpose) {
    purpose = read(tag);
    known.set(tag, purpose);
  }
  return purpose;
}

function read(tag: string): Purpose {
  const [, layer = ''] = /^\w+_features:(.*)@[^@]*$/.exec(tag) ?? [];
  if (tag.startsWith('forward_features:')) return { kind: 'feature_map', name: layer };
  if (tag.startsWith('backward_features:')) return { kind: 'intermediate_gradient', name: layer };
  const [, what, of = ''] = /^_optimizer_(state|update)_(.*)$/.exec(tag) ?? [];
  // Steps of an update are scratch, until one of them becomes a weight or a slot.
  if (what) return { kind: what === 'state' ? 'optimizer' : 'other', name: of };
  const [, prefix, name = ''] = /^(in_arg|arg_grad|aux_state):(.*)$/.exec(tag) ?? [];
  if (prefix === 'in_arg') return { kind: 'weight', name };
  if (prefix === 'arg_grad') return { kind: 'gradient', name };
  if (prefix === 'aux_state') return { kind: 'buffer', name };
  return { kind: tag === 'data' ? 'input' : 'other', name: '' };
}

/** Made in the backward pass; known as soon as it is allocated. */
export const isBackward = (tag: string) => /^(backward_features|arg_grad):/.test(tag);
