/** Numbers in `edges.type`. */
export const EDGE_TYPES = ['attribute', 'element', 'entry', 'internal', 'context', 'key'] as const;
export const [ATTRIBUTE, ELEMENT, ENTRY, INTERNAL, CONTEXT, KEY] = [0, 1, 2, 3, 4, 5] as const;
