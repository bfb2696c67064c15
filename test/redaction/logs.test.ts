import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CrashReader } from '../../src/formats/log-lines/crash-text.ts';
import { redactorOf } from '../../src/model/redacted.ts';
import { redactCrash, usersInCrash } from '../../src/model/redacted-crash.ts';
import { tempFolder } from '../support/files.ts';
import { highwater } from '../support/recorder.ts';

const SECRETS = /annabel|acme|hunter2/i;
const MESSAGE =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.14 GiB is free.';
const LOG = `Traceback (most recent call last):
  File "/home/annabel/acme/train.py", line 3, in acme_step
${MESSAGE} See https://wiki.acme.example, annabel@acme.example, /home/annabel/acme/net.py (--token hunter2)
`;

describe('what a log says, redacted', () => {
  it('keeps figures and the words of the message, and no name', async () => {
    const folder = tempFolder();
    const file = join(folder, 'annabel-acme.log');
    writeFileSync(file, LOG);
    for (const flags of [[], ['--json'], ['--markdown']]) {
      const open = await highwater(['report', file, ...flags]);
      expect(String(open.stdout)).toMatch(SECRETS);
      const { code, stdout, stderr } = await highwater(['report', file, '--redact', ...flags]);
      expect(code).toBe(0);
      expect(String(stdout) + stderr).not.toMatch(SECRETS);
      expect(String(stdout)).toContain(MESSAGE);
    }
    const said = async (...flags: string[]) => {
      const { stdout } = await highwater(['report', file, '--json', ...flags]);
      return JSON.parse(String(stdout)).main;
    };
    const { text: _, ...figures } = await said('--redact');
    const { text: __, ...before } = await said();
    expect(figures).toEqual(before);
  });

  it('takes out what XLA says of a program', () => {
    const text = {
      ...new CrashReader().end('acme.log'),
      events: [
        {
          ...{ source: 'jax', place: 'gpu' as const, line: 1, times: 1, text: 'acme' },
          program: {
            total: 7,
            buffers: [{ bytes: 7, operation: 'jit(acme)', file: '/home/annabel/net.py', line: 3 }],
          },
        },
      ],
    };
    const given = redactCrash(text, redactorOf([{ users: usersInCrash(text) }]));
    expect(JSON.stringify(given)).not.toMatch(SECRETS);
    expect(given.events[0]!.program).toMatchObject({
      total: 7,
      buffers: [{ bytes: 7, line: 3, file: '/home/user1/net.py' }],
    });
  });
});
