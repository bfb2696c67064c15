/**
 * Requests that a server's log names: lines of web servers about one that was answered (uvicorn, gunicorn, nginx,
 * Go's gin, llama.cpp's server) and lines of engines about one that came or ended. A server may print several of
 * them for each request, so each form is counted by itself.
 */

export type RequestForm = 'answered' | 'finished' | 'received';

/** `127.0.0.1:50122 - "POST /v1/completions HTTP/1.1" 200 OK`. */
const ACCESS =
  /"(?:GET|POST|PUT|PATCH|DELETE) (\/[^\s"]{0,500}) HTTP\/[\d.]{1,3}"[\s:,|-]{1,4}(\d{3})\b/;
/** `https://example.org:443 "GET /file HTTP/1.1" 200 None`: what the program asked of somebody else (urllib3). */
const ASKED = /https?:\/\/[^\s"]{1,300} "[A-Z]{3,7} \//;
/** `[GIN] 2026/02/03 - 10:11:12 | 200 |  1.2s | 127.0.0.1 | POST     "/api/generate"`. */
const GIN =
  /\[GIN\] [\d/ :-]{10,30}\|\s{0,4}(\d{3}) \|[^|]{0,30}\|[^|]{0,60}\|\s{0,4}(?:GET|POST|PUT|PATCH|DELETE)\s{1,12}"(\/[^"]{0,500})"/;
/** `srv  log_server_r: request: POST /completion 127.0.0.1 200`. */
const LLAMA = /\brequest: (?:GET|POST) (\/\S{0,500}) \S{1,60} (\d{3})\b/;
/** `Finished request cmpl-5f2.`, `Received request req-12: prompt …`: a name with a figure in it, no prose. */
const NAMED =
  /\b(finished|completed|received|added) request:? ['"]?(?=[\w.-]{0,100}\d)[\w.-]{1,100}/i;

/** Asked by machines that watch a server, or what a page is made of: nobody's request. */
const NOT_WORK =
  /^\/(?:metrics|health\w*|ping|ready\w*|live\w*|status|version|favicon\.ico|v1\/models|api\/(?:tags|ps|version))?\/?(?:\?|$)|\.(?:css|js|png|svg|ico|html|woff2?)(?:\?|$)/;

/** Which form of line about a request this is; null: none, or one that was refused or asks for no work. */
export function requestIn(line: string): RequestForm | null {
  const gin = GIN.exec(line);
  const answered = gin ? [gin[0], gin[2], gin[1]] : (ACCESS.exec(line) ?? LLAMA.exec(line));
  if (answered) {
    if (ASKED.test(line)) return null;
    return answered[2]!.startsWith('2') && !NOT_WORK.test(answered[1]!) ? 'answered' : null;
  }
  const word = NAMED.exec(line)?.[1]?.toLowerCase();
  if (word === undefined) return null;
  return word === 'finished' || word === 'completed' ? 'finished' : 'received';
}

/** So many of a form are told one by one, and as many of every second, then of every fourth … */
const MANY = 4000;

/** Counts them by form, and thins what is told. */
export class RequestLines {
  readonly #forms = new Map<RequestForm, { count: number; told: number; every: number }>();

  /** The form and the number of a request that is to be told; null: none, or one of many. */
  see(line: string): { form: RequestForm; number: number } | null {
    const form = requestIn(line);
    if (!form) return null;
    const seen = this.#forms.get(form) ?? { count: 0, told: 0, every: 1 };
    this.#forms.set(form, seen);
    seen.count++;
    if (seen.count % seen.every !== 0) return null;
    if (++seen.told % MANY === 0) seen.every *= 2;
    return { form, number: seen.count };
  }
}
