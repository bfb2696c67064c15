import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanLog } from '../../src/sweep/clean-log.ts';
import { tempFolder } from '../support/files.ts';
import { swept } from './support.ts';

async function cleaned(bytes: Buffer): Promise<Buffer> {
  const log = join(tempFolder(), 'x.log');
  writeFileSync(log, bytes, { mode: 0o640 });
  await cleanLog(log);
  expect(readdirSync(dirname(log))).toEqual(['x.log']);
  expect(statSync(log).mode & 0o777).toBe(0o640);
  return readFileSync(log);
}

describe('the log of a sweep’s run', () => {
  it('has no secrets that the program printed', async () => {
    const code = 'console.log("größer"); console.error("using api_key=S3cretS3cretS3cret now")';
    const { folder } = await swept(['--param', 'k=1'], [process.execPath, '-e', code, '{k}']);
    const log = readdirSync(folder).find((name) => name.endsWith('.log'))!;
    const text = readFileSync(join(folder, log), 'utf8');
    expect(text).toContain('größer\n');
    expect(text).toMatch(/using api_key=\*\*\*/);
    expect(text).not.toContain('S3cret');
  });

  it('keeps every other byte, wherever it is cut', async () => {
    const line = Buffer.from('épòque 3, loss 0.25 \xff\n'.repeat(120_000), 'utf8');
    expect((await cleaned(line)).equals(line)).toBe(true);
    const endless = Buffer.alloc(3 << 20, 'x');
    expect((await cleaned(endless)).equals(endless)).toBe(true);
    const binary = Buffer.from('a\0password=hunter2hunter2\n');
    expect((await cleaned(binary)).equals(binary)).toBe(true);
    expect(await cleaned(Buffer.alloc(0))).toHaveLength(0);
    const late = Buffer.concat([line, Buffer.from('password=hunter2hunter2')]);
    expect((await cleaned(late)).subarray(line.length).toString()).toBe('password=***');
  });
});
