import { figures, graphEvidence, PINNED, tensorEvidence } from './evidence.ts';
import type { GrowthBreakdown } from './growth-breakdown.ts';
import type { ObjectGrowth } from './object-growth.ts';
import { whereOf } from './place.ts';
import { FLAT, growthInUse, type KindFinding, type KindRule, MAIN_CAUSE } from './rule.ts';
import type { TensorGrowth } from './tensor-growth.ts';

/** Tensors with a graph per iteration: fewer may be an accident. */
const FEWEST_GRAPHS = 0.2;
/** Nodes per iteration by which the graph of one tensor grows. */
const FEWEST_NODES = 1;
const MOST_SHOWN = 3;

/**
 * Tensors that accumulate. Their own bytes may explain it; a loss has four, but keeps the graph of its
 * iteration alive, whose memory Python does not see: then that of malloc, or the device's, has to grow.
 * After the backward pass little is left of a graph, but it lies between what was given back, which
 * malloc then cannot return either.
 */
export const tensors: KindRule = {
  kind: 'tensors',
  find(breakdown) {
    const { device, rates, growth } = breakdown;
    const here = breakdown.tensors.filter((one) => isOnHost(one) === (device === null));
    const own = here.reduce((sum, { bytesRate }) => sum + Math.max(0, bytesRate), 0);
    const all = device ? 0 : (rates.get('tensors.bytes') ?? 0);
    const below = belowPython(breakdown);
    const [graph] = breakdown.graphs.filter(({ countRate }) => countRate >= FEWEST_NODES);
    if (graph && below >= MAIN_CAUSE * growth && own < MAIN_CAUSE * growth)
      return graphFinding(breakdown, graph);
    if (Math.max(own, all) >= MAIN_CAUSE * growthInUse(breakdown)) return finding(breakdown, here);
    const graphs = here.filter(({ madeBy, countRate }) => madeBy && countRate >= FEWEST_GRAPHS);
    const inContainers = breakdown.containers.reduce((sum, { bytesRate }) => sum + bytesRate, 0);
    const unexplained = below >= MAIN_CAUSE * growth && inContainers < FLAT * growth;
    if (graphs.length > 0 && unexplained) return finding(breakdown, graphs);
    // Allocated on a device, but in no survey: torch allocates for tensors only.
    return device && unexplained ? finding(breakdown, here) : null;
  },
};

const isOnHost = ({ device }: TensorGrowth) => device === 'cpu' || device === PINNED;

/** What grew below Python's objects: malloc's memory, or what torch handed out on a device. */
function belowPython({ device, rates, growth }: GrowthBreakdown): number {
  const taken = device ? [`${device}.allocated`] : ['malloc.in_use', 'malloc.free'];
  // Where malloc is another library's, nothing speaks against it.
  if (!taken.some((name) => rates.has(name))) return growth;
  return taken.reduce((sum, name) => sum + Math.max(0, rates.get(name) ?? 0), 0);
}

/** One tensor, made anew from itself in each iteration, keeps the graphs of all of them. */
function graphFinding(breakdown: GrowthBreakdown, graph: ObjectGrowth): KindFinding {
  const [variable = 'it'] = graph.holder.split(' ');
  return {
    name: `graph of ${graph.count} nodes kept by ${graph.holder}`,
    where: whereOf(graph.holder),
    evidence: [graphEvidence(graph, breakdown), ...figures(breakdown)],
    advice: [
      `${graph.holder} is made from its own last value with its graph, and so keeps those of all iterations: add numbers, ${variable} += loss.item(), or cut it off, ${variable} = ${variable}.detach()`,
      'a hidden state that is carried over needs .detach() between batches; retain_graph=True is needed for neither',
    ],
  };
}

function finding(breakdown: GrowthBreakdown, found: readonly TensorGrowth[]): KindFinding {
  const shown = [...found].sort((a, b) => weight(b) - weight(a)).slice(0, MOST_SHOWN);
  const [graph] = shown.filter(({ madeBy }) => madeBy !== '');
  const holder = shown.find((one) => one.holder !== '')?.holder;
  return {
    name: holder ?? (shown[0] ? tensorEvidence(shown[0], breakdown).name : 'tensors'),
    where: whereOf(holder),
    evidence: [...shown.map((one) => tensorEvidence(one, breakdown)), ...figures(breakdown)],
    advice: [
      ...(graph
        ? [
            `each of them keeps the graph of its iteration (${graph.madeBy}): keep loss.item(), or loss.detach() for more than one value, never the loss itself`,
          ]
        : ['keep only what is needed of them, with .detach().cpu(), or clear them each epoch']),
      holder
        ? `they are held by ${holder}: that is where to let go`
        : 'look for a list, dict or attribute that each iteration adds to; none was found that has a name',
      ...(graph
        ? [
            'without such a list: retain_graph=True, or a hidden state carried over without .detach()',
          ]
        : []),
    ],
  };
}

/** A known holder leads to the line that keeps them; those with a graph hold more than their own bytes. */
const weight = ({ madeBy, bytesRate, countRate, holder }: TensorGrowth) =>
  (bytesRate + (madeBy ? countRate * 1024 : 0)) * (holder ? 1e6 : 1);
