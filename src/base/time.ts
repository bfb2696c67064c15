export const SECOND_NS = 1e9;
export const MILLISECOND_NS = 1e6;

/** `0.42 s`, `12.3 s`, `4 min 05 s`, `2 h 03 min`, `3 d 04 h`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'unknown';
  if (seconds < 0) return `−${formatDuration(-seconds)}`;
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 99.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const two = (n: number) => String(n).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  if (whole < 86_400)
    return `${Math.floor(whole / 3600)} h ${two(Math.floor(whole / 60) % 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${two(Math.floor(whole / 3600) % 24)} h`;
}

/** Local date and time that sorts and is safe in a file name: `20261115-190412`. */
export function fileTimestamp(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return (
    `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}` +
    `-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`
  );
}

/** Date and time as the reader's clock has them: `2026-11-15 19:04:12`. */
export function localTime(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(two).join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

/** Wall time as ISO 8601; that of 1970 where a file's time is beyond what a date can be. */
export function isoTime(unixMs: number): string {
  const date = new Date(unixMs);
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString();
}
