import { readFileSync } from 'node:fs';
import { describeError, UserError } from '../../base/errors.ts';
import { withoutSecrets } from '../../base/secrets/index.ts';

/** A ClickHouse server, or several that share the runs among them. */
export interface ClickHouseTarget {
  /** `http://host:8123`, one for each shard. */
  readonly servers: readonly string[];
  readonly database: string;
  readonly user: string | null;
  readonly password: string | null;
  /** Certificates that are trusted beside those of the system, as PEM. */
  readonly ca: string | null;
  /** For people. */
  readonly shown: string;
}

export const isClickHouse = (url: string): boolean => /^clickhouses?:/i.test(url);

const EXAMPLE = 'write it as clickhouse://user@host:8123/database (clickhouses:// for TLS)';
const PARTS = /^clickhouse(s?):\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/([^/?#]*))?\/?$/i;
const HOST = /^(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i;
const DATABASE = /^[A-Za-z_]\w{0,199}$/;

type Env = Readonly<Record<string, string | undefined>>;

/** What a URL names. Its password comes from a file or from the environment: a command line is seen by everybody. */
export function clickHouseTarget(url: string, env: Env): ClickHouseTarget {
  const [, tls, user, hosts, database] = PARTS.exec(url) ?? refused(url);
  if (user?.includes(':')) {
    throw new UserError('a password in a URL would be in the list of processes', {
      hint: 'set HIGHWATER_PUSH_PASSWORD_FILE (or HIGHWATER_PUSH_PASSWORD) instead',
    });
  }
  const [protocol, port] = tls ? ['https', '8443'] : ['http', '8123'];
  const servers = hosts!.split(',').map((host) => {
    const [, name, own] = HOST.exec(host) ?? refused(url);
    return `${protocol}://${name}:${own ?? port}`;
  });
  const name = database || 'highwater';
  if (!DATABASE.test(name)) {
    throw new UserError(`'${name}' is not the name of a database`, { hint: EXAMPLE });
  }
  const shown = `${servers.map((server) => server.replace(/^https?:\/\//, '')).join(',')}/${name}`;
  const caFile = env.HIGHWATER_PUSH_CA_FILE;
  return {
    servers,
    database: name,
    user: (user && decodeURIComponent(user)) || env.HIGHWATER_PUSH_USER || null,
    password: passwordIn(env),
    ca: caFile ? read(caFile, 'HIGHWATER_PUSH_CA_FILE') : null,
    shown,
  };
}

function refused(url: string): never {
  throw new UserError(`'${withoutSecrets(url)}' is not the address of a ClickHouse server`, {
    hint: EXAMPLE,
  });
}

function passwordIn(env: Env): string | null {
  const file = env.HIGHWATER_PUSH_PASSWORD_FILE;
  // Files end with a line's end more often than not.
  if (file) return read(file, 'HIGHWATER_PUSH_PASSWORD_FILE').trim();
  return env.HIGHWATER_PUSH_PASSWORD || null;
}

function read(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UserError(`cannot read the file of ${variable}: ${describeError(error)}`);
  }
}
