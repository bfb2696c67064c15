import { describe, expect, it } from 'vitest';
import { hideSecrets, redactArgv, withoutSecrets } from '../../../src/base/secrets/index.ts';
import { shellJoin } from '../../../src/base/text.ts';
import { SCORING_ALIKE, TUNING_ALIKE } from './look-alikes.ts';
import { type Planted, SCORING, TUNING } from './sets.ts';

const cleaned = (said: string | readonly string[]) =>
  typeof said === 'string' ? withoutSecrets(said) : redactArgv(said);
const left = (planted: readonly Planted[]) =>
  planted.filter(({ said, secret }) => JSON.stringify(cleaned(said)).includes(secret));
const lost = (all: readonly (string | readonly string[])[]) =>
  all.filter((said) => JSON.stringify(cleaned(said)) !== JSON.stringify(said));

describe('two hundred secrets and two hundred texts that look like them', () => {
  it('has so many', () => {
    expect([TUNING, SCORING, TUNING_ALIKE, SCORING_ALIKE].map((set) => set.length >= 100)).toEqual([
      ...[true, true, true, true],
    ]);
  });

  it('no secret is left', () => {
    expect(left(TUNING)).toEqual([]);
    expect(left(SCORING)).toEqual([]);
  });

  it('no look-alike is lost', () => {
    expect(lost(TUNING_ALIKE)).toEqual([]);
    expect(lost(SCORING_ALIKE)).toEqual([]);
  });

  it('a command line that became one text is looked through again, and has none', () => {
    for (const { said, secret } of [...TUNING, ...SCORING]) {
      const argv = typeof said === 'string' ? null : shellJoin(redactArgv(said));
      if (argv !== null) expect(withoutSecrets(argv)).not.toContain(secret);
    }
  });

  it('what was cleaned stays as it is', () => {
    for (const { said } of [...TUNING, ...SCORING]) {
      const once = cleaned(said);
      expect(cleaned(once)).toEqual(once);
    }
  });
});

describe('what is left around a secret', () => {
  it.each([
    ['https://me:pw@host/x?a=1', 'https://me:***@host/x?a=1'],
    ['{"api_key": "x y", "lr": 1}', '{"api_key": "***", "lr": 1}'],
    ['login(token="abc", user="me")', 'login(token="***", user="me")'],
    ['export A_TOKEN=abc; python x.py', 'export A_TOKEN=***; python x.py'],
    ['-H "Authorization: Bearer abc" -v', '-H "Authorization: Bearer ***" -v'],
    ['password: my cat\nuser: me', 'password: ***\nuser: me'],
    ['a%20token%3Dabc123xyz%20b', 'a%20token%3D***%20b'],
  ])('%s', (text, expected) => expect(withoutSecrets(text)).toBe(expected));

  it('in JSON: behind names, in texts and in names', () => {
    const token = `hf_${'aB3d'.repeat(8)}`;
    expect(hideSecrets({ password: 'cat', a: [1, `x ${token}`], [token]: null })).toEqual({
      password: '***',
      a: [1, 'x ***'],
      '***': null,
    });
  });
});

/** Each once took time that grew with the square of its length: seconds, and now milliseconds. */
describe('no text takes long', () => {
  it.each([
    ...['a', 'a-', 'token=', '"token": "', 'password: ', 'name=token value=', '://a:', '://a:b@'],
    ...['%41', 'curl -u a:b ', 'echo x | ', '-----BEGIN PRIVATE KEY-----', 'eyJa.', ' ', '<token>'],
    ...[
      '"--token" ',
      'password=\\"',
      "token='",
      'QUJD',
      '"',
      'xoxb-',
      'key: |\n ',
      'login a password ',
    ],
  ])(
    '%j',
    (piece) => {
      const text = piece.repeat(200_000 / piece.length);
      expect(withoutSecrets(text).length).toBeLessThanOrEqual(text.length + 200_000);
    },
    20_000,
  );
});
