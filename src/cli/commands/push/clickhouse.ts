import { count } from '../../../base/text.ts';
import { ClickHousePusher } from '../../../store/clickhouse/push.ts';
import { clickHouseTarget, isClickHouse } from '../../../store/clickhouse/target.ts';
import { show, tell } from '../../output/terminal.ts';
import { eachRun } from '../store/each-run.ts';
import type { PushTarget } from './target.ts';

export const clickHouse: PushTarget = {
  address: 'clickhouse://user@host:8123/database',
  takes: isClickHouse,
  push: pushToClickHouse,
};

async function pushToClickHouse(inputs: readonly string[], url: string): Promise<number> {
  const target = clickHouseTarget(url, process.env);
  const pusher = new ClickHousePusher(target, (why, seconds) =>
    tell(`highwater: ${why}; tried again in ${seconds} s\n`),
  );
  let rows = 0;
  let ready = false;
  const { stored, skipped } = await eachRun(inputs, 'Pushing', async (run) => {
    // Not before something can be read: a wrong name makes no tables.
    if (!ready) await pusher.prepare();
    ready = true;
    rows += await pusher.push(run);
  });
  show(`${target.shown}\n`);
  tell(`${count(stored, 'run')}, ${rows} rows\n`);
  return skipped > 0 ? 1 : 0;
}
