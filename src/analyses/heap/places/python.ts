import type { HeapGraph } from '../../../model/heap/graph.ts';
import { PYTHON_TABLES } from '../../../model/heap/python-tables.ts';
import { nameOf, type Place, type Step, type StepText } from './place.ts';

/** `'worker' in run() batch`: a variable of a function that is running, in which thread. */
const VARIABLE = /^(?:('.*') in )?(.*\(\)) (.+)$/s;

/** `__main__.cache['a'].rows` instead of `i0_modules['__main__'].__dict__['cache']['a'].__dict__['rows']`. */
export function pythonPlace(graph: HeapGraph) {
  return (steps: readonly Step[], textOf: StepText): Place => {
    const { edges, edgeTypes, roots } = graph;
    const entry = edgeTypes.indexOf('entry');
    const isEntry = (step: Step | undefined) =>
      step !== undefined && edges.type[step.edge] === entry;
    const key = ({ edge }: Step) => unquoted(nameOf(graph, edge));
    let [path, scope, at] = ['', '', 0];
    const first = steps[0];
    if (first && first.owner === roots[0]) {
      const name = nameOf(graph, first.edge);
      const variable = VARIABLE.exec(name);
      const table = PYTHON_TABLES.get(name);
      at = 1;
      if (variable) {
        const [, thread, fn, what] = variable;
        path = what!;
        scope = `in ${fn}${thread === undefined ? '' : ` of thread ${thread}`}`;
      } else if (table !== undefined && isEntry(steps[1])) {
        path = `${table}${key(steps[1]!)}`;
        at = 2;
      } else path = name === 'i0_modules' ? 'sys.modules' : name;
    } else if (first) path = '…';
    for (; at < steps.length; at++) {
      const step = steps[at]!;
      if (nameOf(graph, step.edge) === '__dict__' && isEntry(steps[at + 1])) {
        const name = key(steps[++at]!);
        path += /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? `.${name}` : `['${name}']`;
      } else path += textOf(step);
    }
    return { path, scope };
  };
}

const unquoted = (text: string) => /^'(.*)'$/s.exec(text)?.[1] ?? text;
