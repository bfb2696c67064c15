import type { StackShare } from '../../../analyses/allocations/top-stacks.ts';
import type { Between, DeviceBetween, PanelChange } from '../../../analyses/panels/between.ts';
import type { Clock } from '../../../analyses/panels/panel.ts';
import { formatBytes, formatDelta } from '../../../base/bytes.ts';
import { count } from '../../../base/text.ts';
import { deviceName } from '../../../model/allocations/device-name.ts';
import { categoryPlural } from '../../../model/allocations/words.ts';
import { seriesLabel } from '../../../model/series-label.ts';
import { bytesOr, NONE } from '../../../views/table.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { useResource } from '../../parts/resource.ts';
import { Awaited } from '../../parts/waiting.tsx';
import { momentWords } from '../../timeline/values.tsx';

interface Props {
  readonly run: string;
  readonly clock: Clock;
  readonly a: number;
  readonly b: number;
}

/** What changed between two pins, and what was allocated in between and still lives. */
export function Difference({ run, clock, a, b }: Props) {
  const query = { clock, from: Math.min(a, b), to: Math.max(a, b) };
  const fetched = useResource<Between>(`run/${run}/between`, query);
  return (
    <section class="difference" aria-label="Difference between the pins">
      <Awaited what="difference between the pins" fetched={fetched}>
        {(result) => (
          <>
            <h2>
              From {momentWords(result, result.from)} to {momentWords(result, result.to)}
            </h2>
            {result.devices.map((device) => (
              <DeviceSection key={device.device} device={device} />
            ))}
            <DataTable
              label="changes"
              columns={CHANGES}
              rows={result.changes}
              keyOf={({ panel, key }) => `${panel} ${key}`}
            />
          </>
        )}
      </Awaited>
    </section>
  );
}

const nameOf = ({ panel, key }: PanelChange) => {
  if (key === 'all') return `${panel}: all together`;
  return key.includes('.') ? seriesLabel(key) : `${panel}: ${key}`;
};
const changeOf = ({ fromBytes, toBytes }: PanelChange) =>
  fromBytes === null || toBytes === null ? null : toBytes - fromBytes;

const CHANGES: readonly Column<PanelChange>[] = [
  { key: 'what', head: 'what', value: nameOf },
  { key: 'a', head: 'at A', value: (row) => row.fromBytes, cell: (row) => bytesOr(row.fromBytes) },
  { key: 'b', head: 'at B', value: (row) => row.toBytes, cell: (row) => bytesOr(row.toBytes) },
  {
    key: 'change',
    head: 'change',
    value: changeOf,
    cell: (row) => {
      const change = changeOf(row);
      return change === null ? NONE : formatDelta(change);
    },
  },
];

const STACKS: readonly Column<StackShare>[] = [
  { key: 'bytes', head: 'bytes', value: (row) => row.bytes, cell: (row) => formatBytes(row.bytes) },
  { key: 'allocations', head: 'allocations', value: (row) => row.allocations },
  { key: 'category', head: 'category', value: (row) => categoryPlural(row.category) },
  { key: 'where', head: 'made by', value: (row) => row.where.slice(0, 300) },
];

function DeviceSection({ device }: { device: DeviceBetween }) {
  const { otherStacks, categories } = device;
  const kinds = categories.map(
    (one) => `${formatBytes(one.bytes)} ${categoryPlural(one.category)}`,
  );
  return (
    <div class="device-between">
      <p>
        On {deviceName(device.device)}, <strong>{formatBytes(device.bytes)}</strong> in{' '}
        {count(device.allocations, 'allocation')} were made after A and still live at B
        {kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}; {formatBytes(device.freedBytes)} that
        lived at A were given back.
      </p>
      {device.topStacks.length > 0 && (
        <DataTable
          label={`what was made on ${deviceName(device.device)} and still lives`}
          columns={STACKS}
          rows={device.topStacks}
          keyOf={(row) => `${row.stack} ${row.category} ${row.where}`}
        />
      )}
      {otherStacks.count > 0 && (
        <p class="muted">
          and {formatBytes(otherStacks.bytes)} at {count(otherStacks.count, 'other place')}
        </p>
      )}
    </div>
  );
}
