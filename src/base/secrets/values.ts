import type { Suspicion } from './names.ts';

export const HIDDEN = '***';

/** What stands for a value, or says that there is none: a variable, a place to fill in, code that fetches it. */
const REFERENCE =
  /^(\*{3,}|\$[A-Z_][A-Z0-9_]*|\$\{[^}]*\}|\$\([^)]*\)?|<[\w\s.-]*>|\{\{?[\w\s.:|'"-]*\}?\}|%\(\w+\)s|%\w+%|%s|\.{3}|…|x{3,}|-|@[-\w./]+\.\w+)$/;
const NOTHING =
  /^(|true|false|none|null|nil|undefined|yes|no|on|off|auto|default|prompt|stdin|str|string|int|float|bool|bytes|any|self|optional|required|missing|invalid|expired|valid|set|unset|found|not|ok|loaded|empty|hidden|redacted|masked|enabled|disabled|unknown|basic|bearer|digest|oauth|saml|ldap|kerberos|ntlm|interactive|anonymous|lambda|len|input|getpass|file|env|keyring|vault)$/i;
/** The same for what somebody typed. */
const NO_VALUE = /^(|true|false|none|null|nil|yes|no|prompt|stdin|auto|default|required)$/i;
/** Something is called or looked up: that is code, and what it yields is not in the text. */
const FETCHED =
  /^(await\s+)?(new\s+)?((os|self|this|args|cfg|config|conf|settings|env|process|opts|options|params|flags|secrets|ctx|context|request|req|user|kwargs|state|data)(\.[A-Za-z_]\w*|\[)|[A-Za-z_][A-Za-z_.]*\()/;
const TYPE = /^(Optional|Union|List|Dict|Tuple|Sequence|torch\.|np\.|jax\.|typing\.)\b|^[A-Z]\w*\[/;
const NUMBER = /^[-+]?(\d[\d_]*\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
const PATH_TO_FILE =
  /^(~|\.{1,2})?\/?([\w@.+-]+\/)*[\w@.+-]+\.(json|ya?ml|toml|pem|key|crt|cert|pub|txt|env|ini|cfg|conf|p12|pfx|py|sh|csv|pt|bin|js|ts|gpg|enc|der|jks|netrc)$/;
const PATH = /^(~|\.{1,2})?\/[\w@.+-]+(\/[\w@.+-]+)*\/?$/;
/** A word with a number behind it, as names and versions are: `resnet50`, `8b`, `v1`, `A100`. */
const WORDY =
  /^([A-Za-z]?[a-z]*\d{0,6}[a-z]{0,2}|[A-Z]{0,12}\d{0,5}|\d{1,8}|\d+x\d+[a-z]?|0x[0-9a-f]{1,8})$/;

/** `literal`: the value is in quotes, or a word of an argv: nothing in it is code. */
export function isSecretValue(value: string, suspicion: Suspicion, literal = false): boolean {
  if (suspicion === 'none' || REFERENCE.test(value)) return false;
  if (literal ? NO_VALUE.test(value) : NOTHING.test(value) || FETCHED.test(value)) return false;
  if (suspicion === 'maybe') return looksRandom(value);
  if (suspicion === 'likely') return !isTame(value);
  if (suspicion === 'strong' && isSmallNumber(value)) return false;
  return literal ? !PATH_TO_FILE.test(value) : !TYPE.test(value) && !PATH_TO_FILE.test(value);
}

/** A token that is a small number is one of a text: `token=17`. */
const isSmallNumber = (value: string) => NUMBER.test(value) && value.replace(/\D/g, '').length <= 5;

function isTame(value: string): boolean {
  if (NUMBER.test(value) && value.length <= 6) return true;
  if (NOTHING.test(value)) return true;
  if (/^[a-z]{1,8}$/.test(value) || /^[a-z]+([_./][a-z]+)+$/.test(value)) return true;
  if (/[*\\]|\(\?|\[.*\]/.test(value) && !looksRandom(value)) return true;
  return PATH.test(value) || PATH_TO_FILE.test(value) || TYPE.test(value);
}

/** Made by chance rather than by somebody who names things. */
export function looksRandom(value: string): boolean {
  if (value.length < 8 || /\s/.test(value) || PATH.test(value) || PATH_TO_FILE.test(value))
    return false;
  if (!/\d/.test(value) && !/[a-z][A-Z]+[a-z]+[A-Z]/.test(value)) return false;
  return isRandom(value);
}

export const isRandom = (value: string): boolean =>
  value.split(/[^A-Za-z0-9]+/).some((run) => !WORDY.test(run));
