/** Frames that boxes are drawn with, and the names of ranks, processes, times and levels before a line. */
const PREFIX =
  /^(?:[\s│┃║|]{1,8}|\[(?:rank|default)\d{1,5}\]: ?|\d{1,4}: (?=[A-Za-z])|\((?:\w|[ =.:,-]){1,80}\) |\d{4}-\d\d-\d\d[ T][\d:.,]{8,18}Z? |(?:ERROR|WARNING|INFO) \d\S{4,20} \S{4,40} \[\S{1,60}\] |(?:ERROR|stderr) \| )+/;

/** A line without what launchers and boxes put around it; code in a traceback keeps its indent. */
export function bare(line: string): string {
  const indent = /^ {2,}/.exec(line)?.[0] ?? '';
  return (indent + line.replace(PREFIX, '')).replace(/[\s│┃║|]{1,8}$/, '');
}
