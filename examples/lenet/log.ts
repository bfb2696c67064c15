/**
 * A line as glog writes it, which is what readers of Caffe's logs expect: severity and date, local
 * time to the microsecond, process, and the place in the source that it comes from.
 */
export function logLine(message: string, place = callerPlace(), now = epochMicroseconds()): string {
  const time = new Date(Math.floor(now / 1000));
  const micros = now % 1_000_000;
  const date = `${pad(time.getMonth() + 1, 2)}${pad(time.getDate(), 2)}`;
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map((n) => pad(n, 2));
  const pid = String(process.pid).padStart(5);
  return `I${date} ${clock.join(':')}.${pad(micros, 6)} ${pid} ${place}] ${message}`;
}

export function log(message: string): void {
  process.stdout.write(`${logLine(message, callerPlace())}\n`);
}

function epochMicroseconds(): number {
  return Math.floor((performance.timeOrigin + performance.now()) * 1000);
}

/** The file and line that called the function that calls this one. */
function callerPlace(): string {
  const frame = new Error().stack?.split('\n')[3] ?? '';
  const place = /([^/\\]+:\d+):\d+\)?$/.exec(frame);
  return place?.[1] ?? 'lenet.ts:0';
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
