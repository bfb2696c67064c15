import { UserError } from '../../base/errors.ts';

/** Where a clock hung: this machine's own zone, a fixed offset from UTC, or a named zone. */
export type TimeZone =
  | { readonly kind: 'local' }
  | { readonly kind: 'offset'; readonly minutes: number }
  | { readonly kind: 'named'; readonly name: string };

export const LOCAL_ZONE: TimeZone = { kind: 'local' };
export const UTC_ZONE: TimeZone = { kind: 'offset', minutes: 0 };

/** `-06:00`, `+0530`, `Z`, `UTC`, `local` or a name such as `America/Denver`. */
export function parseTimeZone(text: string): TimeZone {
  const trimmed = text.trim();
  if (/^local$/i.test(trimmed)) return LOCAL_ZONE;
  const minutes = parseOffset(trimmed);
  if (minutes !== null) return { kind: 'offset', minutes };
  try {
    if (!/^[A-Za-z][\w+/-]*$/.test(trimmed)) throw new RangeError();
    clockOf(trimmed);
    return { kind: 'named', name: trimmed };
  } catch {
    throw new UserError(`'${text}' is not a time zone`, {
      hint: 'write it as -06:00, UTC or America/Denver',
    });
  }
}

/** Minutes east of UTC; null for what is no offset. */
export function parseOffset(text: string): number | null {
  if (/^(z|utc|gmt)$/i.test(text)) return 0;
  const match = /^(?:utc|gmt)?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(text);
  if (!match) return null;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  if (minutes > 15 * 60 || Number(match[3] ?? 0) > 59) return null;
  return match[1] === '-' ? -minutes + 0 : minutes;
}

export function describeZone(zone: TimeZone): string {
  if (zone.kind === 'named') return zone.name;
  if (zone.kind === 'local') return "this machine's time zone";
  return formatOffset(zone.minutes);
}

/** `-06:00` */
export function formatOffset(minutes: number): string {
  const two = (n: number) => String(Math.floor(n)).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`;
}

/** Unix seconds of a date (month 1 to 12) and the seconds since its midnight, in a zone. */
export function unixSeconds(
  year: number,
  month: number,
  day: number,
  clock: number,
  zone: TimeZone,
): number {
  const whole = Math.floor(clock);
  const fraction = clock - whole;
  if (zone.kind === 'local') {
    return new Date(year, month - 1, day, 0, 0, whole).getTime() / 1000 + fraction;
  }
  const asUtc = Date.UTC(year, month - 1, day, 0, 0, whole) / 1000;
  if (zone.kind === 'offset') return asUtc - zone.minutes * 60 + fraction;
  // The offset at the moment itself; near a change of clocks the second look decides.
  const first = asUtc - offsetAt(zone.name, asUtc);
  return asUtc - offsetAt(zone.name, first) + fraction;
}

/** Year, month (1 to 12) and day of a moment, in a zone. */
export function dateIn(unix: number, zone: TimeZone): [number, number, number] {
  if (zone.kind === 'local') {
    const date = new Date(unix * 1000);
    return [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  }
  const offset = zone.kind === 'offset' ? zone.minutes * 60 : offsetAt(zone.name, unix);
  const date = new Date((unix + offset) * 1000);
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
}

const CLOCKS = new Map<string, Intl.DateTimeFormat>();

function clockOf(name: string): Intl.DateTimeFormat {
  let clock = CLOCKS.get(name);
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    CLOCKS.set(name, clock);
  }
  return clock;
}

/** Seconds east of UTC at a moment. */
function offsetAt(name: string, unix: number): number {
  const parts = new Map(
    clockOf(name)
      .formatToParts(new Date(unix * 1000))
      .map((part) => [part.type, Number(part.value)]),
  );
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const shown = Date.UTC(
    get('year'),
    get('month') - 1,
    get('day'),
    get('hour'),
    get('minute'),
    get('second'),
  );
  return shown / 1000 - Math.floor(unix);
}
