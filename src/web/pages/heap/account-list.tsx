import { type HeapAccount, heapAccount } from '../../../analyses/heap/account.ts';
import type { HeapView } from '../../../analyses/heap/view.ts';
import { formatBytes } from '../../../base/bytes.ts';

/** What the resident size is made of beside the objects; nothing where the process did not say. */
export function AccountList({ view }: { view: HeapView }) {
  const account = heapAccount(view.about, view.size);
  if (account === null || Object.keys(account.beyond).length === 0) return null;
  return (
    <details data-test="heap-account">
      <summary>Beyond the objects</summary>
      <table>
        <tbody>
          {rowsOf(account).map(([name, bytes]) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{formatBytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function rowsOf({ objects, beyond, resident, onDevices }: HeapAccount): [string, number][] {
  const rows: [string, number][] = [
    ['objects', objects],
    ...Object.entries(beyond),
    ['resident', resident],
  ];
  return onDevices > 0 ? [...rows, ['apart, on devices', onDevices]] : rows;
}
