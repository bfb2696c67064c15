import { useMemo } from 'preact/hooks';
import { partsAt } from '../../../analyses/layers/layers-at.ts';
import { formatBytes } from '../../../base/bytes.ts';
import { count } from '../../../base/text.ts';
import type { LayerHistory } from '../../../model/layers/history.ts';
import { kindWords } from '../../../views/report/layers.ts';

const MOST = 4;

/** What only ever grows, in words. */
export function GrowthList({ history }: { history: LayerHistory }) {
  const growing = useMemo(
    () =>
      partsAt(history, history.iterations.length - 1)
        .flatMap(({ name, kind, growth }) => (growth ? [{ name, kind, ...growth }] : []))
        .sort((a, b) => b.bytesPerIteration - a.bytesPerIteration),
    [history],
  );
  const more = growing.length - MOST;
  if (growing.length === 0) {
    return history.iterations.length > 7 ? (
      <p class="muted">No part of the model grows from iteration to iteration.</p>
    ) : null;
  }
  return (
    <ul class="alarms">
      {growing.slice(0, MOST).map(({ name, kind, pattern, bytesPerIteration, toBytes }) => (
        <li key={`${kind} ${name}`}>
          {`grows ${pattern}: ${kindWords(kind)}, `}
          <bdi class="name">{name.slice(0, 300) || 'in no layer'}</bdi>
          {`, by ${formatBytes(bytesPerIteration)} an iteration to ${formatBytes(toBytes)}`}
        </li>
      ))}
      {more > 0 && <li>{`and ${count(more, 'more part')}`}</li>}
    </ul>
  );
}
