/** What Heapy prints below a table that goes on; nothing below one that does not. */
export const moreRows = (hidden: number): string[] =>
  hidden > 0 ? [`<${hidden} more rows. Type e.g. '_.more' to view.>`] : [];
