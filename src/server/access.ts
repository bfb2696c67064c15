import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a request is refused, or nothing. */
export type Access = 'granted' | 'unknown' | 'foreign';

/**
 * Who may read. A recording tells what a user runs, so that neither another user of the machine nor
 * a page that the browser shows beside ours may ask for it: a random token, which only the printed
 * address has, and the names by which we are called, against rebound domain names.
 */
export class AccessCheck {
  readonly token = randomBytes(24).toString('base64url');
  /** Cookies do not tell ports apart: two servers must not take each other's. */
  readonly #cookie: () => string;

  constructor(port: () => number) {
    this.#cookie = () => `highwater-${port()}`;
  }

  get setCookie(): string {
    return `${this.#cookie()}=${this.token}; Path=/; HttpOnly; SameSite=Strict`;
  }

  check(request: IncomingMessage, url: URL): Access {
    if (!isOurName(request.headers.host) || !isOwnPage(request)) return 'foreign';
    return this.#shown(request, url).some((shown) => this.#matches(shown)) ? 'granted' : 'unknown';
  }

  /** The places in which the token may be. */
  #shown(request: IncomingMessage, url: URL): (string | null | undefined)[] {
    const header = request.headers['x-highwater-token'];
    const cookies = (request.headers.cookie ?? '').split(/;\s*/);
    const own = cookies.find((text) => text.startsWith(`${this.#cookie()}=`));
    return [url.searchParams.get('token'), String(header ?? ''), own?.split('=')[1]];
  }

  #matches(shown: string | null | undefined): boolean {
    const [given, wanted] = [Buffer.from(shown ?? ''), Buffer.from(this.token)];
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}

/** The port is not looked at: through `ssh -L` it is another one. */
function isOurName(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i.test(host ?? '');
}

/** A browser says for which page it asks; other programs say nothing. */
function isOwnPage({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers;
  if (origin !== undefined && origin !== `http://${host}`) return false;
  const site = headers['sec-fetch-site'];
  // A link in a mail or a terminal opens the page itself: that is navigation, with the token in it.
  const byLink = headers['sec-fetch-mode'] === 'navigate';
  return site === undefined || site === 'same-origin' || site === 'none' || byLink;
}
