import type { Door } from '../../../views/report/doors.ts';
import { hrefOf } from '../../address.ts';

/** All that the report says, section by section, in its order: each a door. */
export function SectionLinks(props: { doors: readonly Door[]; open: string | undefined }) {
  const { doors, open } = props;
  return (
    <div class="section-links">
      <span class="muted">The whole report:</span>
      <ul aria-label="The report, section by section">
        {doors.map(({ id, title }) => (
          <li key={id}>
            <a
              href={hrefOf('overview', { show: id })}
              aria-current={id === open ? 'true' : undefined}
            >
              {title.slice(0, 60)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
