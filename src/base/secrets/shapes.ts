import { HIDDEN, isRandom, looksRandom } from './values.ts';

/**
 * Secrets that are known by how they look, without any name beside them. The prefixes are what vendors publish and
 * scanners look for (gitleaks' rules name most); lengths are lower than the vendors', as a text may be cut.
 */

const ALNUM = '[A-Za-z0-9]';
const WORD = '[\\w-]';

/** [prefix, what may follow, at least]. What follows must look made by chance: `hf_hub_download_files` does not. */
const PREFIXED: readonly (readonly [string, string, number])[] = [
  // Code and packages
  ['gh[pousr]_', ALNUM, 16],
  ['github_pat_', '\\w', 20],
  ['gl(?:pat|ptt|rt|dt|ft|cbt|imt|agent|oas|soat|ffct|wt)-', '[\\w.-]', 16],
  ['GR1348941', WORD, 16],
  ['npm_', ALNUM, 24],
  ['pypi-', WORD, 32],
  ['rubygems_', '[0-9a-f]', 24],
  ['dckr_[po]at_', WORD, 16],
  ['ATATT3|ATCTT3|ATBB', '[\\w=-]', 20],
  ['CLOJARS_', ALNUM, 30],
  ['AKCp', ALNUM, 40],
  ['cmVmd', ALNUM, 40],
  ['sgp_|slk_', '[0-9a-f_]', 24],
  ['bkua_', ALNUM, 24],
  ['CCI(?:PAT|PRJ)_', '\\w', 20],
  ['pul-', '[0-9a-f]', 24],
  ['API-', '[A-Z0-9]', 24],
  // Models and experiments
  ['hf_', ALNUM, 16],
  ['api_org_', ALNUM, 20],
  ['sk-(?:ant|proj|svcacct|admin|or|lf|None)-', WORD, 16],
  ['pk-lf-', WORD, 20],
  ['sk-', WORD, 16],
  ['r8_', ALNUM, 20],
  ['gsk_', ALNUM, 20],
  ['xai-', ALNUM, 20],
  ['pplx-', ALNUM, 20],
  ['fw_', ALNUM, 20],
  ['nvapi-', WORD, 20],
  ['lsv2_(?:pt|sk)_', '\\w', 20],
  ['ls__', ALNUM, 20],
  ['pcsk_', '\\w', 20],
  ['jina_', ALNUM, 24],
  ['rpa_', ALNUM, 24],
  ['wandb_v1_', '\\w', 20],
  ['pn[ubt]_', ALNUM, 20],
  ['tgp_v1_', WORD, 20],
  ['(?:ak|as|csk)-', ALNUM, 20],
  ['pa-', WORD, 36],
  // Clouds
  ['(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA|A3T[A-Z0-9])', '[A-Z0-9]', 12],
  ['ABSK', '[A-Za-z0-9+/=]', 40],
  ['bedrock-api-key-', '[A-Za-z0-9+/=]', 16],
  ['AIza', WORD, 24],
  ['ya29\\.', '[\\w.-]', 16],
  ['GOCSPX-', WORD, 16],
  ['1//0', WORD, 24],
  ['do[opr]_v1_', '[0-9a-f]', 24],
  ['LTAI', ALNUM, 12],
  ['AKID', ALNUM, 16],
  ['AQVN', WORD, 24],
  ['YC', '[\\w-]', 38],
  ['t1\\.', '[\\w.=-]', 60],
  ['HRKU-', WORD, 24],
  ['fo1_|fm[12][ar]?_', '[\\w+/=-]', 30],
  ['nfp_|nfc_', ALNUM, 24],
  ['vc[apikr]?_', ALNUM, 20],
  ['sbp_|sb_secret_', WORD, 20],
  ['pscale_(?:tkn|oauth|pw)_', '[\\w=.-]', 20],
  ['napi_', '\\w', 24],
  ['dapi|dose', '[0-9a-f]', 24],
  ['tskey-[a-z]+-', WORD, 16],
  ['dp\\.(?:pt|st|ct|sa|scim|audit)\\.', '[\\w.]', 20],
  ['hv[sbr]\\.', WORD, 20],
  ['s\\.(?=[A-Za-z]*\\d)', ALNUM, 24],
  ['dt0[a-z]\\d\\d\\.', '[A-Z0-9.]', 24],
  ['sha256~', WORD, 30],
  ['v1\\.0-', '[0-9a-f-]', 100],
  ['ops_eyJ', '[A-Za-z0-9+/=]', 40],
  ['A3-', '[A-Z0-9-]', 24],
  ['AGE-SECRET-KEY-1', '[A-Z0-9]', 30],
  ['(?:kaggle|KGAT)_', ALNUM, 24],
  ['tk-us-', WORD, 40],
  ['ico-', ALNUM, 30],
  // Watching
  ['glc_', '[A-Za-z0-9+/=]', 24],
  ['glsa_', '\\w', 24],
  ['sntry[su]_', '[\\w+/=]', 24],
  ['NR(?:AK|II|JS|RA)-', '[\\w-]', 16],
  ['PMAK-', '[0-9a-f-]', 24],
  ['dd[op]_', ALNUM, 30],
  ['phc_|phx_', ALNUM, 30],
  // Messages and money
  ['xox[a-z](?:\\.xox[a-z])?-', '[\\w-]', 12],
  ['xapp-', '[\\w-]', 20],
  ['xwfp-', '[\\w-]', 20],
  ['(?:sk|rk|pk|whsec)_(?:test|live|prod)_', ALNUM, 10],
  ['whsec_', '[A-Za-z0-9+/=]', 20],
  ['sk_', '[0-9a-f]', 40],
  ['SG\\.', '[\\w.-]', 24],
  ['key-', '[0-9a-f]', 28],
  ['shp(?:at|ca|pa|ss|ua)_', '[0-9a-fA-F]', 20],
  ['sq0(?:atp|csp|idp)-', WORD, 16],
  ['EAAA', WORD, 40],
  ['EAA', ALNUM, 80],
  ['xkeysib-|xsmtpsib-', '[0-9a-zA-Z-]', 24],
  ['re_', '\\w', 28],
  ['figd_', WORD, 20],
  ['ntn_', ALNUM, 24],
  ['secret_', ALNUM, 40],
  ['lin_(?:api|oauth)_', ALNUM, 20],
  ['tfp_', '[\\w.=-]', 30],
  ['CFPAT-', WORD, 24],
  ['pat-(?:na|eu)\\d-', '[0-9a-f-]', 24],
  ['pat', '[A-Za-z0-9]{14}\\.[0-9a-f]', 40],
  ['(?:pat|sat)\\.[\\w-]{22}\\.', '[A-Za-z0-9.]', 30],
  ['EZ[AT]K', ALNUM, 40],
  ['duffel_(?:test|live)_', '[\\w=-]', 20],
  ['shippo_(?:live|test)_', '[0-9a-f]', 24],
  ['rdme_', '[a-z0-9]', 40],
  ['fio-u-', '[\\w=-]', 40],
  ['p8e-', '[a-z0-9]', 28],
  ['FLW(?:SECK|PUBK)(?:_TEST)?-', '[\\w-]', 12],
  ['s-s4t2(?:ud|af)-', '[0-9a-f]', 30],
  ['sm_[aps]at_', ALNUM, 14],
  ['access-(?:sandbox|development|production)-', '[0-9a-f-]', 30],
  ['access_token\\$(?:production|sandbox)\\$', '[0-9a-z$]', 30],
  ['AC|SK', '[0-9a-f]', 32],
];

const prefixed = PREFIXED.map(([prefix, body, least]) => `(?:${prefix})${body}{${least},}=*`);
const PREFIX = new RegExp(`(?<![A-Za-z0-9_])(?:${prefixed.join('|')})`, 'g');

const OTHERS: readonly RegExp[] = [
  // JSON web tokens, also cut ones and those with five parts.
  /\bey[A-Za-z0-9_-]{14,}\.ey[\w/+-]{10,}(?:\.[\w/+-]*={0,2})*/g,
  /\bey[A-Za-z0-9_-]{14,}\.[\w-]*\.[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g,
  // Azure: applications' secrets and keys of storage accounts. Sums of packages look like the latter.
  /(?<![\w~.-])[\w~.]{3}\dQ~[\w~.-]{24,}/g,
  /(?<![\w+/=-])[A-Za-z0-9+/]{86}==/g,
  // Addresses that are secrets as a whole.
  /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/+-]{8,}/g,
  /(?<=discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/)[\w/-]{8,}/g,
  /(?<=\.webhook\.office\.com\/)[\w/@-]{8,}/g,
  /(?<=hooks\.zapier\.com\/hooks\/catch\/)[\w/-]{6,}/g,
  /(?<=api\.telegram\.org\/bot)[\w:-]{8,}/g,
  // Bots of Telegram, mail and messages.
  /\b\d{8,10}:AA[\w-]{30,}/g,
  /\bAAAA[\w-]{7}:APA91b[\w-]{20,}/g,
  /\b[0-9a-f]{32}-us\d{1,2}\b/g,
  /\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{20,}/g,
  /\b[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b/g,
  /\bA{20,}[A-Za-z0-9%]{40,}/g,
];

/** Names of modules may look like it but for its last part. */
const DISCORD = /\b[MNO][\w-]{22,27}\.[\w-]{6}\.([\w-]{25,})/g;

const PEM_BEGIN = /-----BEGIN[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d/g;
const PEM_END = /-----END[ A-Z0-9_-]{0,60}PRIVATE KEY(?: BLOCK)?-----|Private-MAC: *[0-9a-f]*/g;

/** A text without what looks like a secret. */
export function withoutShapes(text: string): string {
  if (text.length < 12) return text;
  let said = text.includes('PRIVATE KEY') || text.includes('PuTTY') ? withoutBlocks(text) : text;
  said = said.replace(PREFIX, (found) => (isRandom(found) ? HIDDEN : found));
  for (const shape of OTHERS) said = said.replace(shape, HIDDEN);
  said = said.replace(DISCORD, (found, last: string) => (looksRandom(last) ? HIDDEN : found));
  return said.replace(AWS_SECRET, (found) => (isEven(found) ? HIDDEN : found));
}

/** A private key goes from its first line to its last; where that is cut off, to the end. */
function withoutBlocks(text: string): string {
  let said = '';
  let at = 0;
  for (const begin of text.matchAll(PEM_BEGIN)) {
    if (begin.index < at) continue;
    PEM_END.lastIndex = begin.index + begin[0].length;
    const end = PEM_END.exec(text);
    said += text.slice(at, begin.index) + HIDDEN;
    at = end ? PEM_END.lastIndex : text.length;
  }
  return said + text.slice(at);
}

/** The secret half of a key pair of AWS: forty characters with no prefix. */
const AWS_SECRET = /(?<![\w+/=.-])(?=[A-Za-z0-9+/]{40}(?![\w+/=.-]))[A-Za-z0-9][A-Za-z0-9+/]{39}/g;

/** All kinds of characters and hardly any twice: no name, no path, no hexadecimal sum. */
function isEven(text: string): boolean {
  const of = (kind: RegExp) => text.match(kind)?.length ?? 0;
  if (of(/[A-Z]/g) < 5 || of(/[a-z]/g) < 5 || of(/\d/g) < 2 || of(/\//g) > 4) return false;
  return new Set(text).size >= 22 && !/[a-z]{7}/.test(text);
}
