import { withoutAssigned } from './assignments.ts';
import { withoutEncoded } from './encodings.ts';
import { suspicionOf } from './names.ts';
import { withoutShapes } from './shapes.ts';
import { withoutShellSecrets } from './shell.ts';
import { HIDDEN, isSecretValue, looksRandom } from './values.ts';

/** `https://me:pw@host`; a password may have an @ in it. */
const USERINFO = /(:\/\/)([^\s:@/?#'"]*)(:[^\s'"/?#]+)(?=@)/g;
/** One that has a slash in it, which is not right, but is written. */
const SLASHED = /(:\/\/[^\s:@/?#'"]+:)(?!\d+(?:\/|$))([^\s@'"]+)(?=@[\w.-]+)/g;
/** `https://TOKEN@host`. */
const USER_ALONE = /(:\/\/)([^\s:@/?#'"]{12,})(?=@)/g;
/** `me:pw1@host.example`, without a scheme. */
const NO_SCHEME =
  /(?<![\w/.@:+-])([\w.+-]+:)([^\s:@/'"]{6,})(?=@(?:[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+|localhost|\d+\.\d+\.\d+\.\d+)(?![\w.]))/g;
const ORACLE = /(thin:[^/\s:]+\/)([^@\s]+)(?=@)/gi;
const BEARER = /\b(bearer[ \t]+)([\w.~+/=-]+)/gi;
const BASIC = /\b(basic[ \t]+)([A-Za-z0-9+/_-]{6,}={0,2})/gi;
const PROSE = /^(tokens?|auth\w*|format|scheme|header|is|of|or|and|in|for|realm|\*+)$/i;
/** `- name: TOKEN\n  value: x`, `{"name": "TOKEN", "value": "x"}`, `<add key="Password" value="x"/>`. */
const PAIR =
  /(\b(?:name|key|id)\\?["']?\s*[:=]\s*\\?["']?)([\w.-]{2,80})(\\?["']?[\s,;]*(?:-\s+)?\\?["']?(?:value|val|content)\\?["']?\s*[:=]\s*)(\\?"(?:[^"\\\n]|\\[^"])*|'[^'\n]*|[^\s,;}"'<>]+)/gi;
/** `add_argument("--token", default="x")` */
const DEFAULT = /(["'])--?([\w-]{2,60})\1([^)\n]{0,120}?\bdefault\s*=\s*["'])([^"'\n]+)/g;
const SECURE_STRING = /(ConvertTo-SecureString\s+(?:-String\s+)?["']?)([^\s"']+)/gi;
const SQL =
  /\b((?:identified|\w*password)\s+(?:with\s+\S{1,60}\s+)?by\s+(?:values\s+)?['"])([^'"]+)/gi;
/** `<Password type="x">y</Password>` */
const TAGGED = /(<([\w:.-]{2,60})\s[^<>]{1,200}>)([^<>]{1,300})(?=<\/)/g;

const UNSEEN = /[\x1b\u200b-\u200f\u2060\ufeff\u00ad\u202a-\u202e]/;
const ALL_UNSEEN = /\x1b\[[0-9;?]*[ -/]*[@-~]|[\u200b-\u200f\u2060\ufeff\u00ad\u202a-\u202e]/g;

/** A text without its secrets. Recordings are made to be shared, so this happens before anything is stored. */
export function withoutSecrets(text: string): string {
  const said = clean(text, 2);
  // Colours and characters of no width must not break a name in two.
  if (!UNSEEN.test(said)) return said;
  const plain = said.replace(ALL_UNSEEN, '');
  const cleaned = clean(plain, 2);
  return cleaned === plain ? said : cleaned;
}

/** Each costs a microsecond or more, and hardly any text needs one: what they look for is looked for first. */
const NAMES =
  /pass|pw|secret|secur|token|tok\b|key|cred|auth|bearer|basic|cookie|jwt|pat\b|sas\b|dsn|pin\b|otp|sig|sess|sid\b|csrf|salt|hook|login|licen|mnemonic|phrase|contrase|senha|kennwort|identified|github|gitlab|openai|thin:/i;
const SHELL =
  /\b(?:sshpass|mysql|mariadb|\w+-cli|curl|wget|https?|xh|aria2c|login|gh|ldap|smbclient|rpcclient|net|mongo|zip|unzip|sqlcmd|bcp|7z|l?ftp|rar|unrar|ipmitool|snmp|\w*freerdp|wandb|vault|ngrok|kaggle|hf|comet|neptune|clearml|runpod|modal|vastai|fly|flyctl|pass:|sudo|passwd|chpasswd)|--password-stdin|--with-token|--passphrase-fd|--stdin/;

/** `depth`: how often something encoded may be inside something encoded. */
function clean(text: string, depth: number): string {
  if (text.length < 4) return text;
  const random = mayBeRandom(text);
  let said = random ? withoutShapes(text) : text;
  if (said.includes('@')) said = withoutUserInfo(said);
  if (SHELL.test(said)) said = withoutShellSecrets(said);
  if (NAMES.test(said)) said = withoutNamed(said);
  if (depth === 0 || !(random || said.includes('%'))) return said;
  return withoutEncoded(said, (inner) => clean(inner, depth - 1));
}

/** Whether a text has what words of a language have not: figures among letters, capitals in the middle. */
function mayBeRandom(text: string): boolean {
  const runs = text.match(/[A-Za-z0-9_=~-]{12,}/g) ?? [];
  return runs.some(isUnlikeWords) || /hook|PRIVATE KEY|telegram/.test(text);
}

const isUnlikeWords = (run: string) =>
  /\d|[A-Z]{12}/.test(run) || (run.match(/[a-z][A-Z]/g)?.length ?? 0) >= 4;

function withoutNamed(text: string): string {
  const paired = text
    .replace(PAIR, hidePair)
    .replace(TAGGED, (whole, tag: string, name: string, value: string) =>
      isSecretValue(value, suspicionOf(name), true) ? tag + HIDDEN : whole,
    )
    .replace(DEFAULT, hideDefault)
    .replace(SECURE_STRING, `$1${HIDDEN}`)
    .replace(SQL, `$1${HIDDEN}`)
    .replace(BEARER, (whole, before: string, value: string) =>
      PROSE.test(value) ? whole : before + HIDDEN,
    )
    .replace(BASIC, (whole, before: string, value: string) =>
      looksRandom(value) || isUserAndPassword(value) ? before + HIDDEN : whole,
    );
  return withoutAssigned(paired);
}

function withoutUserInfo(text: string): string {
  return text
    .replace(USERINFO, (_, before: string, user: string) => {
      // Some take a token for the user.
      const who = user.length > 10 && looksRandom(user) ? HIDDEN : user;
      return `${before}${who}:${HIDDEN}`;
    })
    .replace(SLASHED, (whole, before: string, value: string) =>
      value === HIDDEN || value.startsWith(`${HIDDEN}@`) ? whole : before + HIDDEN,
    )
    .replace(USER_ALONE, (whole, before: string, value: string) =>
      looksRandom(value) ? before + HIDDEN : whole,
    )
    .replace(NO_SCHEME, (whole, before: string, value: string) =>
      looksRandom(value) || /[a-z]\d|[!#$%^&*]/.test(value) ? before + HIDDEN : whole,
    )
    .replace(ORACLE, `$1${HIDDEN}`);
}

function hidePair(whole: string, before: string, name: string, between: string, value: string) {
  const bare = value.replace(/^\\?["']/, '');
  const open = value.slice(0, value.length - bare.length);
  return isSecretValue(bare, suspicionOf(name), open !== '')
    ? before + name + between + open + HIDDEN
    : whole;
}

function hideDefault(whole: string, quote: string, name: string, between: string, value: string) {
  const hidden = isSecretValue(value, suspicionOf(name), true);
  return hidden ? `${quote}--${name}${quote}${between}${HIDDEN}` : whole;
}

function isUserAndPassword(base64: string): boolean {
  try {
    return /^[\x20-\x7e]*:[\x20-\x7e]*$/.test(
      atob(base64.replaceAll('-', '+').replaceAll('_', '/')),
    );
  } catch {
    return false;
  }
}
