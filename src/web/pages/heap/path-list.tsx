import type { HeapPaths } from '../../../analyses/heap/index.ts';
import { count } from './words.ts';

/** The shortest ways from what is alive by itself to the nearest of the objects. */
export function PathList({ paths: { distance, count: all, paths } }: { paths: HeapPaths }) {
  if (distance === null) return <p class="muted">No root leads to any of these objects.</p>;
  return (
    <section>
      <h2>{`${count(all, 'shortest path')} of ${count(distance, 'reference')}`}</h2>
      <ol class="paths">
        {paths.map(({ root, steps }, i) => (
          <li key={i}>
            <bdi class="name code">{root}</bdi>
            {steps.map(({ via, kind, skipped }, at) => (
              <span key={at}>
                {skipped > 0 && <span class="muted">{` … ${skipped} more … `}</span>}
                <bdi class="name code">{via}</bdi>
                <span class="muted">
                  {' '}
                  (<bdi class="name">{kind.slice(0, 120)}</bdi>){' '}
                </span>
              </span>
            ))}
          </li>
        ))}
      </ol>
      {all > paths.length && (
        <p class="muted">{`and ${(all - paths.length).toLocaleString('en-US')} more of that length`}</p>
      )}
    </section>
  );
}
