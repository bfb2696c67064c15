import { describeError } from '../../base/errors.ts';
import { SECOND_NS } from '../../base/time.ts';
import { type Credentials, credentialsFrom } from '../../metrics/send/credentials.ts';
import { type ExposeAddress, exposeAddress } from '../../metrics/send/expose.ts';
import { type Target, targetOf } from '../../metrics/send/target.ts';
import type { SessionOptions } from '../run/options.ts';

/** Where the metrics of a run go. */
export interface PushSettings {
  /** A window: its peaks are sent at its end. */
  readonly everyNs: number;
  readonly target: Target | null;
  readonly credentials: Credentials;
  readonly expose: ExposeAddress | null;
  readonly textfile: string | null;
}

export const PUSH_SECONDS = 15;

type Env = Readonly<Record<string, string | undefined>>;

/** What cannot be had is said, and the run goes on without; where nothing else will do, it is refused. */
export function pushSettingsOrNone(options: SessionOptions, env: Env): PushSettings | null {
  try {
    return pushSettings(options, env);
  } catch (error) {
    if (options.strict) throw error;
    options.say(`highwater: ${describeError(error)}; recorded without pushing`);
    return null;
  }
}

/** null where nobody asked for them. */
function pushSettings(options: SessionOptions, env: Env): PushSettings | null {
  const { pushEvery = PUSH_SECONDS, expose = null, textfile = null } = options;
  const url = options.push || env.HIGHWATER_PUSH || null;
  if (url === null && expose === null && textfile === null) return null;
  return {
    everyNs: pushEvery * SECOND_NS,
    target: url === null ? null : targetOf(url),
    credentials: url === null ? {} : credentialsFrom(env),
    expose: expose === null ? null : exposeAddress(expose),
    textfile,
  };
}
