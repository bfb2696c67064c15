import { Option } from 'commander';

/** What second 0 of each run is, in a picture of several. */
export const alignOption = (where: string) =>
  new Option('--align <moment>', `${where}: what second 0 is; first-rise is for logs without marks`)
    .choices(['start', 'first-iteration', 'first-rise'])
    .default('start');
