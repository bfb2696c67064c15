import { UserError } from '../../base/errors.ts';
import { withoutSecrets } from '../../base/secrets/index.ts';

/** Where metrics go, and in which words. */
export interface Target {
  readonly url: string;
  readonly protocol: 'remote-write' | 'otlp';
  /** The server and path, to be shown: without what stands behind a question mark. */
  readonly shown: string;
}

const REMOTE_WRITE = '/api/v1/write';
const OTLP = '/v1/metrics';
const OTLP_ROOT = /\/(otlp|opentelemetry)$/;

/** What the URL asks for: OTLP where its path says so, else remote-write. */
export function targetOf(text: string): Target {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UserError(`metrics cannot be pushed to '${withoutSecrets(text)}'`, {
      hint: 'write it as http://localhost:9090/api/v1/write (remote-write) or https://host/v1/metrics (OTLP)',
    });
  }
  if (url.username || url.password) {
    throw new UserError('a URL with a user or a password in it would be in the list of processes', {
      hint: 'set HIGHWATER_PUSH_USER and HIGHWATER_PUSH_PASSWORD_FILE instead',
    });
  }
  const path = url.pathname.replace(/\/+$/, '');
  if (OTLP_ROOT.test(path)) url.pathname = `${path}${OTLP}`;
  else if (path === '') url.pathname = REMOTE_WRITE;
  const isOtlp = url.pathname.replace(/\/+$/, '').endsWith(OTLP);
  return {
    url: url.href,
    protocol: isOtlp ? 'otlp' : 'remote-write',
    shown: withoutSecrets(`${url.host}${url.pathname}`),
  };
}
