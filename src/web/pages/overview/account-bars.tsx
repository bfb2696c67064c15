import { formatBytes } from '../../../base/bytes.ts';
import { percent } from '../../../base/text.ts';
import { partColors, shade } from '../../../views/chart/palette.ts';
import type { Account, AccountPart } from '../../../views/report/section.ts';
import { theme } from '../../theme.ts';

/** As many as are on the first screen; the others are on pages of their own. */
const MOST_BARS = 2;
const MOST_PARTS = 8;

/** What the memory was made of at the peak, to the byte. */
export function AccountBars(props: {
  accounts: readonly Account[];
  /** Of the processes in the chart, so that the same one has the same colour. */
  order: readonly string[];
}) {
  const { accounts, order } = props;
  const shown = accounts.slice(0, MOST_BARS);
  return (
    <section class="accounts" aria-label="What the memory was made of">
      {shown.map((account) => (
        <Bar key={account.title} account={account} order={order} />
      ))}
      {accounts.length === 0 && (
        <p class="muted">Nothing in the recording tells what the memory was made of.</p>
      )}
    </section>
  );
}

function Bar({ account, order }: { account: Account; order: readonly string[] }) {
  const colors = theme.value;
  const sorted = [...account.parts].sort((a, b) => b.bytes - a.bytes);
  const parts = sorted.slice(0, MOST_PARTS);
  const rest = sorted.slice(MOST_PARTS).reduce((sum, { bytes }) => sum + bytes, 0);
  const ofKinds = partColors(
    colors,
    parts.map(({ key }) => key),
  );
  const color = ({ key }: AccountPart, place: number) =>
    account.of === 'kinds'
      ? ofKinds[place]!
      : key === 'rest'
        ? colors.mark
        : shade(colors, order.includes(key) ? order.indexOf(key) : order.length + place);
  const whole = Math.max(
    account.bytes,
    parts.reduce((sum, { bytes }) => sum + bytes, rest),
  );
  return (
    <figure class="account">
      <figcaption>
        {account.title.slice(0, 200)}: <strong>{formatBytes(account.bytes)}</strong>{' '}
        <span class="muted">{account.counted}</span>
        {account.ran && <bdi class="account-ran muted">{account.ran.slice(0, 300)}</bdi>}
      </figcaption>
      <div class="account-bar" role="img" aria-label={wordsOf(account)}>
        {parts.map((part, i) => (
          <span
            key={part.key}
            style={{ width: `${(part.bytes / whole) * 100}%`, background: color(part, i) }}
            title={`${part.label.slice(0, 200)}: ${formatBytes(part.bytes)}`}
          />
        ))}
      </div>
      <ul class="account-key">
        {parts.map((part, i) => (
          <li key={part.key} title={part.about?.slice(0, 1000) ?? undefined}>
            <i class="swatch" style={{ background: color(part, i) }} />
            <bdi class="account-name">{part.label.slice(0, 120)}</bdi>
            <span data-bytes={part.bytes}>{formatBytes(part.bytes)}</span>
            <span class="muted">{percent(part.bytes / whole)}</span>
          </li>
        ))}
        {rest > 0 && (
          <li>
            <i class="swatch" />
            <span class="account-name">others</span>
            <span>{formatBytes(rest)}</span>
            <span class="muted">{percent(rest / whole)}</span>
          </li>
        )}
      </ul>
    </figure>
  );
}

const wordsOf = ({ title, parts }: Account) =>
  `${title}: ${parts.map(({ label, bytes }) => `${label} ${formatBytes(bytes)}`).join(', ')}`.slice(
    0,
    2000,
  );
