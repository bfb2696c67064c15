import { readFileSync } from 'node:fs';
import { describeError, UserError } from '../../base/errors.ts';

/** All variables that say where metrics go, and by which right; no workload gets them. */
export const PUSH_VARIABLE = /^HIGHWATER_PUSH(_|$)/;

/** How a server knows us. Secrets come from files or from the environment, never from a command line. */
export interface Credentials {
  readonly token?: Secret;
  readonly user?: string;
  readonly password?: Secret;
  /** Certificates that are trusted beside those of the system, as PEM. */
  readonly ca?: string;
}

/** One in a file is read again for each request, as tokens are renewed. */
export type Secret = { readonly file: string } | { readonly value: string };

type Env = Readonly<Record<string, string | undefined>>;

/** From the environment; whatever cannot be is refused before anything runs. */
export function credentialsFrom(env: Env): Credentials {
  const secret = (name: string): Secret | undefined => {
    const [file, value] = [env[`${name}_FILE`], env[name]];
    if (file) {
      read(file, `${name}_FILE`);
      return { file };
    }
    return value ? { value } : undefined;
  };
  const token = secret('HIGHWATER_PUSH_TOKEN');
  const password = secret('HIGHWATER_PUSH_PASSWORD');
  const user = env.HIGHWATER_PUSH_USER;
  const caFile = env.HIGHWATER_PUSH_CA_FILE;
  if (token && (user || password)) {
    throw new UserError('both a token and a user are set for the push', {
      hint: 'unset HIGHWATER_PUSH_TOKEN(_FILE), or HIGHWATER_PUSH_USER and its password',
    });
  }
  if (Boolean(user) !== Boolean(password)) {
    throw new UserError('a user needs a password, and a password a user', {
      hint: 'set HIGHWATER_PUSH_USER and HIGHWATER_PUSH_PASSWORD_FILE',
    });
  }
  return {
    ...(token && { token }),
    ...(user && { user }),
    ...(password && { password }),
    ...(caFile && { ca: read(caFile, 'HIGHWATER_PUSH_CA_FILE') }),
  };
}

/** The header that goes with each request; none where none is needed. */
export function authorization({ token, user, password }: Credentials): Record<string, string> {
  if (token) return { authorization: `Bearer ${secretOf(token)}` };
  if (user === undefined || !password) return {};
  const pair = Buffer.from(`${user}:${secretOf(password)}`).toString('base64');
  return { authorization: `Basic ${pair}` };
}

/** Files end with a line's end more often than not. */
const secretOf = (secret: Secret) =>
  'value' in secret ? secret.value : readFileSync(secret.file, 'utf8').trim();

function read(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UserError(`cannot read the file of ${variable}: ${describeError(error)}`);
  }
}
