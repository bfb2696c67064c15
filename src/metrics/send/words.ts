import { count } from '../../base/text.ts';
import type { Sent } from './sender.ts';

/** Why, and that it is tried again: said once, when it first fails. */
export function problemLine(shown: string, problem: string): string {
  return `metrics do not reach ${shown}: ${problem}${remedyFor(problem)}; they are kept and tried again`;
}

/** What was not sent, or perhaps not taken, in one line; null where all was. `givenUp` says when that was. */
export function lossLine(
  shown: string,
  { sent, refused, overflowed, left, unknown, problem }: Sent,
  givenUp = 'when the run ended',
): string | null {
  const lost = refused + overflowed + left;
  if (lost + unknown === 0) return null;
  const why = [
    refused > 0 && `${refused} refused`,
    overflowed > 0 && `${overflowed} let go as too many waited`,
    left > 0 && `${left} not sent ${givenUp}`,
  ].filter(Boolean);
  const said = problem === null ? '' : `; ${problem}${remedyFor(problem)}`;
  const all = count(lost + unknown + sent, 'value');
  if (lost === 0) return `${unknown} of ${all} may not have reached ${shown}: ${UNKNOWN}${said}`;
  const more = unknown > 0 ? `; of ${unknown} more it is not known: ${UNKNOWN}` : '';
  return `${lost} of ${all} did not reach ${shown}: ${why.join(', ')}${more}${said}`;
}

const UNKNOWN = 'sent, but no answer in time said that they were taken';

/** What to do about some answers, in brackets. */
export function remedyFor(problem: string): string {
  const found = REMEDIES.find(([pattern]) => pattern.test(problem));
  return found ? ` (${found[1]})` : '';
}

const REMEDIES: readonly [RegExp, string][] = [
  [
    /out of bounds|too old|out of order/i,
    'the server takes no samples that old: Prometheus needs storage.tsdb.out_of_order_time_window, VictoriaMetrics a longer -retentionPeriod',
  ],
  [/HTTP 404|remote write receiver/i, 'Prometheus needs --web.enable-remote-write-receiver'],
  [
    /HTTP 40[13]/,
    'HIGHWATER_PUSH_TOKEN_FILE, or HIGHWATER_PUSH_USER and HIGHWATER_PUSH_PASSWORD_FILE, say who we are',
  ],
  [/self.signed|unable to (get|verify)/i, 'HIGHWATER_PUSH_CA_FILE names a certificate to trust'],
];
