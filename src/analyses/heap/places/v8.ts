import { byText } from '../../../model/heap/edge-naming.ts';
import { shortText } from '../../../model/heap/edge-text.ts';
import type { Heap } from '../heap.ts';
import { type Functions, functionsOf } from './functions.ts';
import { nameOf, type Place, type Step, type StepText } from './place.ts';

/** What stands between an object and what it has: its program does not see them. */
const STORES: ReadonlySet<string> = new Set(['table', 'elements', 'properties']);
/** What V8 calls the variables that functions close over. */
const SCOPE = 'system / Context';
/** Functions that share one scope; the first of them by line names it, and these are looked at. */
const MOST_SHARERS = 1000;

/**
 * From the last variable on that a function of the program closes over: what leads there (the stack, the cache of
 * modules, Node's own tables) is V8's and says nothing to its author.
 */
export function v8Places(heap: Heap): V8Places {
  const known = made.get(heap) ?? placesIn(heap);
  made.set(heap, known);
  return known;
}

const made = new WeakMap<Heap, V8Places>();

export interface V8Places {
  inWords(steps: readonly Step[], textOf: StepText): Place;
  written(node: number): string | null;
  /** Whether a way leads through a variable of the program's own. */
  hasVariable(steps: readonly Step[]): boolean;
}

function placesIn(heap: Heap): V8Places {
  const { graph } = heap;
  const { nodes, edges, edgeTypes, types } = graph;
  const type = (name: string) => edgeTypes.indexOf(name);
  const [context, internal, property] = [type('context'), type('internal'), type('property')];
  const functions = functionsOf(graph);
  const nameText = byText(graph, String);
  const scopes = new Map<number, Scope>();
  const scopeOf = (node: number) => {
    let scope = scopes.get(node);
    if (scope === undefined) {
      scope = scopeAt(heap, functions, node);
      scopes.set(node, scope);
    }
    return scope;
  };
  const isStore = ({ edge, to }: Step) =>
    edges.type[edge] === internal &&
    types[nodes.type[to]!] === 'array' &&
    STORES.has(nameOf(graph, edge));

  const isScope = ({ edge, to }: Step) =>
    edges.type[edge] === internal && nameText(nodes.name[to]!) === SCOPE;
  /** An entry of a Map or Set, where it is not any, by its key, which lies before it in the table. */
  const inTable = ({ owner, edge }: Step, text: string): string => {
    const place = /^\.<(\d+)>$/.exec(text)?.[1];
    if (place === undefined || types[nodes.type[owner]!] !== 'array') return text;
    const before = edge - 1;
    const isKey =
      before >= nodes.firstEdge[owner]! && nameOf(graph, before) === String(Number(place) - 1);
    const key = isKey ? edges.to[before]! : -1;
    if (key < 0 || types[nodes.type[key]!] !== 'string') return '[…]';
    return `['${shortText(nameText(nodes.name[key]!))}']`;
  };
  const written = (node: number): string | null => {
    if (functions.isFunction(node)) return functions.described(node);
    return nameText(nodes.name[node]!) === SCOPE ? scopeOf(node).fn : null;
  };
  const lastOfProgram = (variables: readonly Step[]) =>
    variables.findLast(({ owner }) => scopeOf(owner).isProgram);
  const inWords = (steps: readonly Step[], textOf: StepText): Place => {
    const variables = steps.filter(({ edge }) => edges.type[edge] === context);
    const own = lastOfProgram(variables) ?? variables.at(-1);
    const rest = (from: number) =>
      steps
        .slice(from)
        .map((step) =>
          isStore(step) ? '' : isScope(step) ? '.(scope)' : inTable(step, textOf(step)),
        )
        .join('');
    if (own) {
      const path = `${nameOf(graph, own.edge)}${rest(steps.indexOf(own) + 1)}`;
      return { path, scope: scopeOf(own.owner).text };
    }
    const first = steps[0];
    // The root's own properties are the global objects.
    if (first?.owner === graph.roots[0] && edges.type[first!.edge] === property)
      return { path: `globalThis${rest(1)}`, scope: '' };
    const at = steps.findLastIndex(({ to }) => functions.isFunction(to));
    if (at >= 0 && functions.script(steps[at]!.to) !== null)
      return { path: functions.described(steps[at]!.to) + rest(at + 1), scope: '' };
    return { path: "(V8's own roots)", scope: '' };
  };
  return {
    written,
    inWords,
    hasVariable: (steps) =>
      lastOfProgram(steps.filter(({ edge }) => edges.type[edge] === context)) !== undefined,
  };
}

interface Scope {
  /** Whether a function of the program's, not of Node's own modules, has it. */
  readonly isProgram: boolean;
  readonly text: string;
  /** The function; null: none is known. */
  readonly fn: string | null;
}

/** Who closes over a scope: V8 does not keep its own name. */
function scopeAt(heap: Heap, functions: Functions, scope: number): Scope {
  const { first, from } = heap.referrers();
  let best = -1;
  const end = Math.min(first[scope + 1]!, first[scope]! + MOST_SHARERS);
  for (let row = first[scope]!; row < end; row++) {
    const fn = from[row]!;
    if (!functions.isFunction(fn) || functions.follow(fn, 'context') !== scope) continue;
    if (functions.script(fn) === null) continue;
    if (best < 0 || functions.line(fn) < functions.line(best)) best = fn;
  }
  if (best < 0) return { isProgram: false, text: '', fn: null };
  const isProgram = !functions.script(best)!.startsWith('node:');
  const fn = functions.described(best);
  return { isProgram, text: `in scope of ${fn}`, fn };
}
