import { lastUpTo } from '../../../base/search.ts';
import { NO_EDGE } from '../../../model/heap/distances.ts';
import { ENTRY } from '../../../model/heap/edge-naming.ts';
import { edgeText } from '../../../model/heap/edge-text.ts';
import type { Heap } from '../heap.ts';
import type { Place, Step, StepText } from './place.ts';
import { pythonPlace } from './python.ts';
import { v8Places } from './v8.ts';

export { type Place, placeText } from './place.ts';

/** Further down than anybody reads: of a long chain the end is told. */
const MOST_STEPS = 200;

export interface Places {
  /** `exact`: with the keys as they are; else `[…]` for whichever entry, so that places of one sort read alike. */
  of(node: number, exact?: boolean): Place;
  /** The place that one reference of an object is. */
  at(owner: number, edge: number, exact?: boolean): Place;
  /** Of a function, or of what it closes over: which function, and where it was written; null: of neither. */
  written(node: number): string | null;
}

export function placesOf(heap: Heap): Places {
  const { graph } = heap;
  const { nodes, edges } = graph;
  const { edge: cameBy } = heap.distances();
  const { naming } = heap.anatomy();
  const v8 = graph.runtime === 'v8' ? v8Places(heap) : null;
  const inWords = v8?.inWords ?? pythonPlace(graph);
  const exactText: StepText = ({ owner, edge }) => edgeText(graph, owner, edge);
  const anyText: StepText = (step) =>
    naming.key(step.owner, step.edge) === ENTRY ? '[…]' : exactText(step);
  const known = [new Map<number, Place>(), new Map<number, Place>()] as const;

  const wayTo = (node: number): Step[] => {
    const steps: Step[] = [];
    for (let at = node; steps.length < MOST_STEPS && cameBy[at] !== NO_EDGE; ) {
      const edge = cameBy[at]!;
      const owner = lastUpTo(nodes.firstEdge, edge, nodes.count);
      steps.push({ owner, edge, to: at });
      at = owner;
    }
    return steps.reverse();
  };
  /** What Python itself refers to has no name on the way; nor has what nothing refers to. */
  const atNoWay = (node: number): Place => ({
    path: node === graph.roots[0] ? "(Python's own roots)" : '(no way from the roots)',
    scope: '',
  });
  return {
    written: (node) => v8?.written(node) ?? null,
    of(node, exact = false) {
      const places = known[exact ? 1 : 0];
      let place = places.get(node);
      if (place === undefined) {
        const way = wayTo(node);
        place =
          way.length === 0 && v8 === null
            ? atNoWay(node)
            : inWords(way, exact ? exactText : anyText);
        places.set(node, place);
      }
      return place;
    },
    at(owner, edge, exact = false) {
      const step = { owner, edge, to: edges.to[edge]! };
      return inWords([...wayTo(owner), step], exact ? exactText : anyText);
    },
  };
}
