import { FormatError } from '../../base/errors.ts';

/** How a snapshot's numbers are laid out. V8 has added fields over the years, and says which it writes. */
export interface Layout {
  readonly nodeCount: number;
  readonly edgeCount: number;
  readonly nodeWidth: number;
  readonly edgeWidth: number;
  readonly node: { type: number; name: number; id: number; size: number; edges: number };
  readonly edge: { type: number; name: number; to: number };
  readonly nodeTypes: readonly string[];
  readonly edgeTypes: readonly string[];
  /** Of "locations", where V8 tells them. */
  readonly location: { width: number; node: number; line: number } | null;
}

const HINT = 'it may come from another version of V8: take a new one with this Node';

/** The value of "snapshot", checked: everything that follows is read by it. */
export function readLayout(file: string, json: string): Layout {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new FormatError(`${file}: its header is not JSON`, { cause });
  }
  const snapshot = record(value);
  const meta = record(snapshot.meta);
  const nodeFields = names(meta.node_fields);
  const edgeFields = names(meta.edge_fields);
  const at = (fields: readonly string[], name: string) => {
    const found = fields.indexOf(name);
    if (found >= 0) return found;
    throw new FormatError(`${file}: its header names no field ${name}`, { hint: HINT });
  };
  const count = (name: string) => {
    const number = snapshot[name];
    if (Number.isInteger(number) && (number as number) >= 0 && (number as number) < 2 ** 31) {
      return number as number;
    }
    throw new FormatError(`${file}: its header has no number in ${name}`, { hint: HINT });
  };
  const types = (value: unknown, fields: readonly string[]) => {
    const list = Array.isArray(value) ? names(value[at(fields, 'type')]) : [];
    if (list.length > 0 && list.length <= 256) return list;
    throw new FormatError(`${file}: its header does not say what its types are`, { hint: HINT });
  };
  return {
    nodeCount: count('node_count'),
    edgeCount: count('edge_count'),
    nodeWidth: nodeFields.length,
    edgeWidth: edgeFields.length,
    node: {
      type: at(nodeFields, 'type'),
      name: at(nodeFields, 'name'),
      id: at(nodeFields, 'id'),
      size: at(nodeFields, 'self_size'),
      edges: at(nodeFields, 'edge_count'),
    },
    edge: {
      type: at(edgeFields, 'type'),
      name: at(edgeFields, 'name_or_index'),
      to: at(edgeFields, 'to_node'),
    },
    nodeTypes: types(meta.node_types, nodeFields),
    edgeTypes: types(meta.edge_types, edgeFields),
    location: locationIn(names(meta.location_fields)),
  };
}

function locationIn(fields: readonly string[]): Layout['location'] {
  const [node, line] = [fields.indexOf('object_index'), fields.indexOf('line')];
  return node < 0 || line < 0 ? null : { width: fields.length, node, line };
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const names = (value: unknown): readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : [];
