import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import { withoutSecrets } from '../../base/secrets/index.ts';
import { orNewest } from '../output/newest.ts';
import { newCommand, runCommand } from '../verb.ts';
import { TARGETS } from './push/targets.ts';

const EXAMPLE = `highwater push train.hw http://prometheus:9090/api/v1/write            # its peaks and values, at their own times
highwater push train.hw clickhouse://writer@ch1:8123/highwater
highwater push highwater-runs clickhouses://writer@ch1,ch2/highwater   # all runs, by two shards, with TLS
HIGHWATER_PUSH_PASSWORD_FILE=~/.ch-password highwater push run.hwz clickhouse://writer@ch1/highwater`;

export function command(): Command {
  return newCommand('push', 'Send finished recordings to a server.', EXAMPLE).argument(
    '<recording...>',
    `recordings, packed ones and folders of them (none: the newest), then where to: ${TARGETS.map(({ address }) => address).join(', ')}`,
  );
}

export function run(argv: readonly string[]): Promise<number> {
  return runCommand(command(), argv, push);
}

async function push(given: readonly string[]): Promise<number> {
  const [url, inputs] = [given.at(-1)!, given.slice(0, -1)];
  const target = TARGETS.find((one) => one.takes(url));
  if (!target) {
    throw new UserError(`recordings cannot be pushed to '${withoutSecrets(url)}'`, {
      hint: `the last word is where to: ${TARGETS.map(({ address }) => address).join(', ')}`,
    });
  }
  return target.push(inputs.length > 0 ? inputs : [orNewest(undefined)], url);
}
