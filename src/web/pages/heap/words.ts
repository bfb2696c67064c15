/** `162,153 objects`. */
export const count = (n: number, singular: string) =>
  `${n.toLocaleString('en-US')} ${singular}${n === 1 ? '' : 's'}`;
