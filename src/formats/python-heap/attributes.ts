import { ATTRIBUTE, ELEMENT, ENTRY, INTERNAL, type NamedEdges } from './edge-types.ts';
import type { Kinds } from './kinds.ts';
import type { RawHeap } from './raw-heap.ts';

/** In Python 3.13 an instance refers to its values as well as to the dict that has their names. */
export function nameAttributes({ edges, firstEdge }: NamedEdges, raw: RawHeap, kinds: Kinds) {
  const { to, type, name } = edges;
  const names = new Map<number, number>();
  for (let node = 1; node < raw.firstStorage; node++) {
    const dict = kinds.ownDict[node]!;
    const [first, last] = [firstEdge[node]!, firstEdge[node + 1]!];
    if (dict === 0 || last - first < 3) continue;
    names.clear();
    for (let edge = firstEdge[dict]!; edge < firstEdge[dict + 1]!; edge++) {
      if (type[edge] === ENTRY) names.set(to[edge]!, name[edge]! - 1);
    }
    for (let edge = first; edge < last; edge++) {
      const found = type[edge] === INTERNAL ? names.get(to[edge]!) : undefined;
      if (found === undefined) continue;
      type[edge] = ATTRIBUTE;
      name[edge] = found;
    }
  }
}

/** Which parts a function has differs, but what they are tells them apart. */
export function nameFunctionParts({ edges, firstEdge }: NamedEdges, raw: RawHeap, kinds: Kinds) {
  const { to, type, name } = edges;
  const { texts, typeTable } = raw;
  const numberOf = (text: string) => typeTable.findIndex(([said]) => said === text);
  const [fn, tuple, cell, code] = ['function', 'tuple', 'types.CellType', 'types.CodeType'].map(
    numberOf,
  );
  const names = {
    code: texts.word('__code__'),
    closure: texts.word('__closure__'),
    defaults: texts.word('__defaults__'),
    globals: texts.word('__globals__'),
  };
  const moduleDict = texts.word('dict of module');
  const ofCells = (node: number) => {
    const edge = firstEdge[node]!;
    return edge < firstEdge[node + 1]! && type[edge] === ELEMENT && raw.types[to[edge]!] === cell;
  };
  for (let node = 1; node < raw.firstStorage; node++) {
    if (raw.types[node] !== fn) continue;
    // Its builtins are a module's as well, and come after its globals.
    let globals = false;
    for (let edge = firstEdge[node]!; edge < firstEdge[node + 1]!; edge++) {
      if (type[edge] !== INTERNAL) continue;
      const target = to[edge]!;
      const what = raw.types[target];
      let found = 0;
      if (what === code) found = names.code;
      else if (what === tuple) found = ofCells(target) ? names.closure : names.defaults;
      else if (kinds.kind[target] === moduleDict && !globals) {
        globals = true;
        found = names.globals;
      }
      if (found === 0) continue;
      type[edge] = ATTRIBUTE;
      name[edge] = found;
    }
  }
}
