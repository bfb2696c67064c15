import type { HeapGraph } from '../../model/heap/graph.ts';
import type { NodeSet } from '../../model/heap/node-set.ts';
import { functionsOf } from './places/functions.ts';

/** What belongs to no module. */
const NONE = '~module';
/** A ring of maps must not be followed for ever. */
const MOST_MAPS = 2000;

/**
 * By the module that an object's class comes from. In Python it is part of the class's name; in V8 the
 * script of the function, or of the constructor that the object's map names.
 */
export function moduleKeys(graph: HeapGraph, set: NodeSet) {
  const labels: string[] = [NONE];
  const ids = new Map<string, number>([[NONE, 0]]);
  const idOf = (name: string) => {
    const known = ids.get(name);
    if (known !== undefined) return known;
    ids.set(name, labels.length);
    return labels.push(name) - 1;
  };
  const key = graph.runtime === 'python' ? pythonModule(graph, idOf) : scriptModule(graph, idOf);
  const keys = new Uint32Array(set.length);
  for (let i = 0; i < set.length; i++) keys[i] = key(set[i]!);
  return { keys, label: (id: number) => labels[id]! };
}

function pythonModule({ nodes, strings }: HeapGraph, idOf: (name: string) => number) {
  const known = new Map<number, number>();
  return (node: number): number => {
    const kind = nodes.kind[node]!;
    const seen = known.get(kind);
    if (seen !== undefined) return seen;
    const name = strings.text(kind).replace(/^dict of /, '');
    const dot = name.lastIndexOf('.');
    const id = idOf(name.startsWith('dict (') ? NONE : dot < 0 ? 'builtins' : name.slice(0, dot));
    known.set(kind, id);
    return id;
  };
}

function scriptModule(graph: HeapGraph, idOf: (name: string) => number) {
  const { nodes, types } = graph;
  const object = types.indexOf('object');
  const { follow, isFunction, script } = functionsOf(graph);
  const known = new Map<string | null, number>();
  const ofFunction = (fn: number): number => {
    const path = script(fn);
    let id = known.get(path);
    if (id === undefined) {
      id = path === null ? 0 : idOf(packageOf(path));
      known.set(path, id);
    }
    return id;
  };
  // The map of an object that got more properties leads back to the one it began with.
  const makerOf = (map: number): number => {
    let at = map;
    for (let steps = 0; at >= 0 && steps < MOST_MAPS; steps++) {
      const maker = follow(at, 'constructor');
      if (maker >= 0) return maker;
      at = follow(at, 'back_pointer');
    }
    return -1;
  };
  const ofMap = new Map<number, number>();
  return (node: number): number => {
    if (isFunction(node)) return ofFunction(node);
    if (nodes.type[node] !== object) return 0;
    const map = follow(node, 'map');
    if (map < 0) return 0;
    let id = ofMap.get(map);
    if (id === undefined) {
      const maker = makerOf(map);
      id = maker >= 0 && isFunction(maker) ? ofFunction(maker) : 0;
      ofMap.set(map, id);
    }
    return id;
  };
}

/** A package instead of each of its files. */
function packageOf(path: string): string {
  return /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path;
}
