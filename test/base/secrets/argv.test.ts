import { describe, expect, it } from 'vitest';
import { redactArgv } from '../../../src/base/secrets/index.ts';

describe('secrets in a command line', () => {
  it.each([
    [
      ['train', '--token', 'abc'],
      ['train', '--token', '***'],
    ],
    [
      ['train', '--api-key=abc', '-x'],
      ['train', '--api-key=***', '-x'],
    ],
    [
      ['env', 'HF_TOKEN=abc', 'python'],
      ['env', 'HF_TOKEN=***', 'python'],
    ],
    [
      ['sh', '-c', 'train --token abc --lr 1'],
      ['sh', '-c', 'train --token *** --lr 1'],
    ],
    [
      ['sh', '-c', 'WANDB_API_KEY=abc python x.py'],
      ['sh', '-c', 'WANDB_API_KEY=*** python x.py'],
    ],
    [
      ['curl', '-H', 'Authorization: Bearer a.b-c'],
      ['curl', '-H', 'Authorization: Bearer ***'],
    ],
    [
      ['git', 'clone', 'https://me:pw@host/x'],
      ['git', 'clone', 'https://me:***@host/x'],
    ],
    [
      ['x', '--password', '--verbose'],
      ['x', '--password', '--verbose'],
    ],
    [
      ['x', '-phunter2', '--run', 'a-hunter2', '--password', 'hunter2'],
      ['x', '-p***', '--run', 'a-***', '--password', '***'],
    ],
    [
      ['x', '-u', 'me:hunter', 'docker', 'login'],
      ['x', '-u', 'me:***', 'docker', 'login'],
    ],
  ])('%j becomes %j', (argv, redacted) => {
    expect(redactArgv(argv)).toEqual(redacted);
  });

  it.each([
    [['train', '--tokenizer', 'bert', '--max-tokens', '5', '--author', 'me']],
    [['python', '-c', 'import time\nprint("a: b", x == 1); time.sleep(1)']],
    [['python', 'train.py', '--lr', '0.1', '--name', 'a=b']],
  ])('%j has none', (argv) => {
    expect(redactArgv(argv)).toEqual(argv);
  });
});
