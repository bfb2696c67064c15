/**
 * How much a name says that its value is a secret. `sure`: whatever the value is; `strong`: unless it is a small
 * number; `likely`: unless it is a number or a plain word; `maybe`: where it looks made by chance.
 */
export type Suspicion = 'sure' | 'strong' | 'likely' | 'maybe' | 'none';

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Secrets wherever they stand in a name: `DB_PASSWORD`, `password_prod`, `secret_key_base`. */
const HARD =
  words(`password passwords passwd passwort kennwort senha contrasena contrase motdepasse passphrase passcode pwd secret secrets credential
  credentials creds apikey authtoken accesstoken secretkey privatekey accesskey bearer authorization mnemonic`);
/** Nobody writes words that end so for anything else: `PGPASSWORD`, `sshpass`, `hftoken`, `wandbkey`. */
const HARD_END =
  /(password|passwd|passphrase|passwort|secret|(?:api|access|secret|private|master|signing|crypt|encryption|account|auth|shared|service|license|client|app|ssh|deploy|wandb|openai|hf|session|token)key|(?:access|auth|api|bearer|refresh|hf|gh|git|id|bot|session|user|wandb|hub|npm|pypi|deploy|csrf|xsrf)token|(?:ssh|user|db|root|pg|my|sql|admin|ftp|smtp|mail|http|store|key)pass|(?:ssh|user|db|root|pg|admin)pw)$/;
/** What makes a key one that opens something. */
const LOCKS =
  words(`api access secret private encryption encrypt decryption signing sign master account auth
  shared service subscription storage license licence ssh deploy deployment client app application session hmac aes
  rsa gpg pgp tls ssl host instrumentation write ingest admin root consumer webhook bot function`);
/** Keys by which something is found, sorted or drawn. */
const PLAIN_KEYS =
  words(`sort primary public foreign cache dict num number n max min image text label input data
  output config state metric metrics feature column partition group join map lookup index query random rng prng seed
  field row hash routing composite natural candidate unique order by attr attribute context target source loss
  monitor hot short attention value values head heads kv object json yaml xml tag tags s3 file path time step batch
  name first last next prev mapping id item node edge graph tree param parameter registry message event topic pixel
  prompt completion question answer caption audio video mask pad bias default size layer block no foreach sharding
  shard any all same different wrong invalid missing unknown unexpected`);
/** Tokens of a text, or of a model. */
const PLAIN_TOKENS =
  words(`pad padding eos bos unk cls mask sep stop special image next prev previous start end
  begin final last first new num number max min per each n any text audio video vision patch class query register sos
  eot prompt prefix suffix space blank speech trigger think system assistant fim eod sentinel delimiter word char byte
  sub dummy placeholder boi eoi memory context single multi every avg mean total added extra fake language lang task
  style modality frame decoder encoder bot_token output input generated target source current ith ms us s seconds time
  cost loss flops bytes params experts k top forced suppress separator newline semantic acoustic visual dist
  distillation cfg latent noise action state reward unused reserved sequence seq gpt t5 wordpiece bpe unigram
  sampled draft accepted rejected cached raw common rare frequent invalid unknown unexpected`);
/** After these a name is that of something about a secret. */
const ABOUT =
  words(`file files filename path paths dir folder name names type types kind len length lengths size sizes
  count counts num dim dims id ids index idx policy method mode modes url uri endpoint host port limit limits rate max
  min ttl expiry expires expiration timeout prompt embedding embeddings embed drop dropout classification level budget
  usage stats freq frequency weight weights logits prob probs loss acc accuracy list map set dict class field fields
  column col position positions pos offset bytes bits width rotation version format prefix suffix provider scope scopes
  header headers fn func factory manager store cache arn ref reference stdin command cmd rotate enabled required
  disabled check validation validator strength min_length per sec second seconds s ms throughput group groups shape
  dtype tensor states proj projection norm layer layers cache_dir env var variable alias label labels padding mask
  masks pool queue window batch budget_tokens aware mixing dataset parallel merging pruning selection error errors
  hint resolver source parser issuer audience algorithm alg server service realm attempts retries reset form page
  input manager_url code codes only free based ratio range santa manager sharing scanning scan`);
/** These change nothing: `token_value`, `API_KEY_PROD`, `secret2`. */
const FILLING =
  words(`value val str string text plain plaintext raw b base hex enc encoded encrypted prod production
  dev staging live old new current default primary secondary main backup a b x y test ci local tmp override`);
/** A switch may stand before a word that is not its own. */
const SWITCH = words(
  'use no with without ask skip allow enable disable require has is need needs prompt read',
);

/** Words of a name in any style, without figures: `--wandb-key`, `HF_TOKEN2`, `clientSecret`, `spring.db.password`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

const known = new Map<string, Suspicion>();
const MOST_KNOWN = 5000;

export function suspicionOf(name: string): Suspicion {
  if (name.length > 200) return 'none';
  let found = known.get(name);
  if (found === undefined) {
    found = judge(name);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(name, found);
  }
  return found;
}

function judge(name: string): Suspicion {
  const all = wordsOf(name);
  if (all.length === 0) return 'none';
  const found = ofWords(all);
  return found !== 'none' && all.length > 1 && SWITCH.has(all[0]!) ? 'maybe' : found;
}

function ofWords(all: readonly string[]): Suspicion {
  let end = all.length - 1;
  while (end > 0 && FILLING.has(all[end]!)) end--;
  const last = all[end]!;
  const before = all[end - 1] ?? '';
  // A digest of a password is worth guessing at.
  if (last === 'hash' && HARD.has(before)) return 'sure';
  if (ABOUT.has(last)) return 'none';
  const body = all.slice(0, end + 1);
  if (body.some((word, i) => HARD.has(word) || HARD_END.test(word) || isLock(body, i)))
    return 'sure';
  return ofLast(last, before, end);
}

const isLock = (all: readonly string[], i: number) =>
  /^keys?$/.test(all[i]!) && i > 0 && LOCKS.has(all[i - 1]!);

function ofLast(last: string, before: string, at: number): Suspicion {
  switch (last) {
    case 'token':
    case 'tok':
      return last === 'tok' || PLAIN_TOKENS.has(before) ? 'maybe' : 'strong';
    case 'tokens':
      return /^(auth|api|access|refresh|session|bearer|id|user|bot)$/.test(before)
        ? 'sure'
        : 'none';
    case 'key':
      return at === 0 ? 'likely' : PLAIN_KEYS.has(before) ? 'maybe' : 'likely';
    case 'pass':
      return /^(forward|backward|first|second|third|single|multi|two|one|per|n|num|max|by|of|low|high|band|all)$/.test(
        before,
      )
        ? 'none'
        : 'strong';
    case 'phrase':
      return /^(seed|recovery|secret|pass)$/.test(before) ? 'sure' : 'none';
    case 'pin':
    case 'otp':
    case 'totp':
      return 'sure';
    case 'pw':
      return 'strong';
    case 'auth':
    case 'oauth':
    case 'cookie':
    case 'cookies':
    case 'jwt':
    case 'pat':
    case 'sas':
    case 'dsn':
      return 'likely';
    case 'sig':
    case 'signature':
    case 'session':
    case 'sessionid':
    case 'sid':
    case 'csrf':
    case 'salt':
    case 'webhook':
    case 'login':
    case 'license':
      return 'maybe';
    default:
      return /^(token|github|gitlab|openai)$/.test(before) && last !== 'tokenizer'
        ? 'maybe'
        : 'none';
  }
}
