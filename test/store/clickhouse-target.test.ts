import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allTables } from '../../src/store/clickhouse/tables.ts';
import { clickHouseTarget } from '../../src/store/clickhouse/target.ts';
import { STORE_TABLES } from '../../src/store/schema.ts';
import { tempFolder } from '../support/files.ts';
import { inOneProcess } from '../support/one-process.ts';

describe('the address of a ClickHouse server', () => {
  it('has ports and a database of its own where none are named', () => {
    expect(clickHouseTarget('clickhouse://ch1', {})).toEqual({
      servers: ['http://ch1:8123'],
      database: 'highwater',
      user: null,
      password: null,
      ca: null,
      shown: 'ch1:8123/highwater',
    });
    const env = { HIGHWATER_PUSH_PASSWORD: 'p', HIGHWATER_PUSH_USER: 'other' };
    expect(clickHouseTarget('clickhouses://me@[::1],ch2:9440/memory/', env)).toMatchObject({
      servers: ['https://[::1]:8443', 'https://ch2:9440'],
      database: 'memory',
      user: 'me',
      password: 'p',
    });
    expect(clickHouseTarget('clickhouse://ch1/x', env).user).toBe('other');
  });

  it('is refused with what to write instead, and without what is secret', async () => {
    const cases: [string, RegExp][] = [
      ['clickhouse://me:hunter2secret@ch1/x', /list of processes.*HIGHWATER_PUSH_PASSWORD_FILE/],
      ['clickhouse://', /is not the address of a ClickHouse server.*clickhouse:\/\/user@host/],
      ['clickhouse://ch1/a b', /is not the name of a database/],
      ['clickhouse://ch1/x; DROP', /is not the name of a database/],
      ['clickhouse://ch1:99999999/x', /is not the address/],
      ['clickhouse://ch1/x?password=hunter2secret', /is not the address/],
      ['ftp://ch1/x', /cannot be pushed to 'ftp:\/\/ch1\/x'.*clickhouse:\/\//],
      ['run.hw', /the last word is where to/],
    ];
    for (const [url, says] of cases) {
      const { code, stderr } = await inOneProcess(['push', 'run.hw', url], tempFolder());
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(says) });
      expect(stderr).not.toContain('hunter2secret');
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });

  it('with a file that is not there names the variable', () => {
    const file = join(tempFolder(), 'nothing');
    expect(() =>
      clickHouseTarget('clickhouse://ch1', { HIGHWATER_PUSH_PASSWORD_FILE: file }),
    ).toThrow(/cannot read the file of HIGHWATER_PUSH_PASSWORD_FILE: no such file/);
  });
});

describe("ClickHouse's tables", () => {
  it('have every column of the list, and replace rows of one key', () => {
    const text = allTables('highwater');
    for (const { name, columns, key } of STORE_TABLES) {
      const [, own] = text.split(`CREATE TABLE IF NOT EXISTS highwater.${name} (`);
      const body = own!.split(';')[0]!;
      for (const column of columns) expect(body).toContain(`\n  ${column.name} `);
      expect(body).toContain(`ORDER BY (${['run', ...key].join(', ')})`);
    }
  });
});
