import type { Report } from '../../../analyses/report.ts';
import { provenance } from '../../../views/report/provenance.ts';

/** What was recorded, when and where, in one line. */
export function ProvenanceLine({ report }: { readonly report: Report }) {
  return (
    <dl class="provenance" data-test="provenance" aria-label="What was recorded">
      {provenance(report).map(([name, value]) => (
        <div key={`${name} ${value}`} title={`${name}: ${value.slice(0, 1000)}`}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value.slice(0, 200)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}
