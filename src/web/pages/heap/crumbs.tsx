import type { HeapView } from '../../../analyses/heap/view.ts';
import { formatBytes } from '../../../base/bytes.ts';
import type { PageState, StatePatch } from '../../address.ts';
import { isOneFile } from '../../store.ts';
import type { PageProps } from '../page.ts';
import { shownOf } from './state.ts';
import { count } from './words.ts';

/** How the reader came here, each step a way back, and where one can go on to. */
export function Crumbs({ inputs, view, state, setState }: PageProps & { view: HeapView }) {
  if (isOneFile || shownOf(inputs, state) === 'difference') return null;
  const steps = stepsOf(state);
  const back = (length: number) =>
    setState({ at: steps.slice(0, length).join('/'), sort: null }, 'push');
  const go = (step: string) => setState({ ...stepTo(state, step), by: null }, 'push');
  const others = view.heaps.filter(({ id }) => id !== view.heap);
  return (
    <nav class="row crumbs" aria-label="Where in the heap">
      <button type="button" disabled={steps.length === 0} onClick={() => back(0)}>
        all objects
      </button>
      {view.crumbs.map(({ label, count: members, size }, i) => (
        <span key={i}>
          {'› '}
          <button type="button" disabled={i === steps.length - 1} onClick={() => back(i + 1)}>
            <bdi class="name">{label.slice(0, 120)}</bdi>
          </button>
          <span class="muted">{` ${count(members, 'object')}, ${formatBytes(size)}`}</span>
        </span>
      ))}
      <span class="spacer" />
      <button type="button" onClick={() => go('referrers')} disabled={steps.length === 0}>
        Who refers to them
      </button>
      <button type="button" onClick={() => go('referents')} disabled={steps.length === 0}>
        What they refer to
      </button>
      {others.map(({ id, name }) => (
        <button key={id} type="button" onClick={() => go(`without:${id}`)}>
          New since <bdi class="name">{name.slice(-60)}</bdi>
        </button>
      ))}
    </nav>
  );
}

/** The walk in the address: `kind:3/referrers`. */
const stepsOf = ({ at = '' }: PageState): string[] => at.split('/').filter(Boolean);

/** One step on; what was sorted or left out before has no meaning there. */
export const stepTo = (state: PageState, step: string): StatePatch => ({
  at: [...stepsOf(state), step].join('/'),
  sort: null,
  filter: null,
  rows: null,
});
