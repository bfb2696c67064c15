import type { Door } from '../../../views/report/doors.ts';
import { hrefOf } from '../../address.ts';

/** All that the report says, section by section, in its order: each a door. */
export function SectionLinks(props: { doors: readonly Door[]; open: string | undefined }) {
  const { doors, open } = props;
  return (
    <nav class="section-links" aria-label="The report, section by section">
      <span class="muted">The whole report:</span>
      {doors.map(({ id, title }) => (
        <a
          key={id}
          href={hrefOf('overview', { show: id })}
          aria-current={id === open ? 'true' : undefined}
        >
          {title.slice(0, 60)}
        </a>
      ))}
    </nav>
  );
}
