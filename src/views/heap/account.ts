import type { HeapAccount } from '../../analyses/heap/account.ts';
import { formatBytes } from '../../base/bytes.ts';
import { alignColumns, printable } from '../../base/text.ts';

/** What the process holds beside its objects, so that the figures add up to what the system says. */
export function accountText(account: HeapAccount | null, warnings: readonly string[]): string {
  const lines: string[] = [];
  if (account) {
    const rows = [
      ['objects', formatBytes(account.objects)],
      ...Object.entries(account.beyond).map(([name, bytes]) => [name, formatBytes(bytes)]),
      ['resident', formatBytes(account.resident)],
    ];
    if (account.onDevices > 0) rows.push(['apart, on devices', formatBytes(account.onDevices)]);
    lines.push(
      'Beyond the objects:',
      ...alignColumns(rows, new Set([1])).map((line) => `  ${line}`),
    );
  }
  lines.push(...warnings.map((text) => `note: ${printable(text)}`));
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
