import { KiB } from '../base/bytes.ts';

/** One line of a process's list of mappings. */
export interface Mapping {
  readonly size: number;
  readonly rss: number;
  readonly start: number;
  readonly end: number;
  readonly flags: string;
  /** In the file. */
  readonly offset: number;
  readonly path: string;
}

const HEAD = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) ([0-9a-f]+) \S+ \S+ *(.*)$/;

export function parseMappings(text: string): Mapping[] {
  const found: { -readonly [key in keyof Mapping]: Mapping[key] }[] = [];
  for (const line of text.split('\n')) {
    const head = HEAD.exec(line);
    if (head) {
      const [start, end] = [Number.parseInt(head[1]!, 16), Number.parseInt(head[2]!, 16)];
      const offset = Number.parseInt(head[4]!, 16);
      found.push({
        start,
        end,
        size: end - start,
        rss: 0,
        flags: head[3]!,
        offset,
        path: head[5]!,
      });
    } else if (line.startsWith('Rss:') && found.length > 0) {
      found.at(-1)!.rss = Number.parseInt(line.slice(4), 10) * KiB;
    }
  }
  return found;
}
