/**
 * Secrets as they are written in command lines, marks and messages, and texts that only look like them. Tokens are
 * made here, by chance from a seed, so that no scanner takes this file for a leak. The rules were made on the first
 * half of each set and counted on the second.
 */
export interface Planted {
  /** An argv where it is one, else a text. */
  readonly said: string | readonly string[];
  /** What must be gone. */
  readonly secret: string;
}

let state = 19;
function chance(most: number): number {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return Math.floor((state / 2 ** 32) * most);
}
const made = (alphabet: string, n: number) =>
  Array.from({ length: n }, () => alphabet[chance(alphabet.length)]).join('');
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const hex = (n: number) => made('0123456789abcdef', n);
const any = (n: number) =>
  `${made(LOWER, 1)}${made(DIGITS, 1)}${made(LOWER + LOWER.toUpperCase() + DIGITS, n - 2)}`;
const upper = (n: number) => made(`${LOWER.toUpperCase()}234567`, n);
const letters = (n: number) =>
  `${made(LOWER, 1)}${made(LOWER.toUpperCase(), 1)}${made(LOWER + LOWER.toUpperCase(), n - 2)}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const url64 = (text: string) => Buffer.from(text).toString('base64url');
const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
const jwt = () =>
  `${url64('{"alg":"HS256","typ":"JWT"}')}.${url64(`{"sub":"${any(8)}","iat":1700000000}`)}.${any(43)}`;
const awsSecret = () => `${any(13)}/${any(7)}/${any(18)}`;

function plant(said: (secret: string) => string | readonly string[], secret: string): Planted {
  return { said: said(secret), secret };
}

/** The rules were made on these. */
export const TUNING: readonly Planted[] = [
  plant((s) => ['python', 'train.py', `{"api_key": "${s}"}`], any(24)),
  plant((s) => ['python', '-c', `from huggingface_hub import login; login(token='${s}')`], any(20)),
  plant((s) => ['train', `--api-key=${s}`], 'two words'),
  plant((s) => ['gpg', '--passphrase', s], `-${any(10)}`),
  plant((s) => ['curl', `--header=Authorization: token ${s}`], any(16)),
  plant((s) => ['app', '--pwd', s], any(9)),
  plant((s) => ['app', '--pat', s], any(30)),
  plant((s) => ['app', '--key', s], any(20)),
  plant((s) => ['app', '--private_key', s], any(20)),
  plant((s) => ['app', '--wandb-key', s], hex(40)),
  plant((s) => ['app', '--bearer', s], any(20)),
  plant((s) => ['run', s], `hf_${letters(34)}`),
  plant((s) => ['run', s], `ghp_${any(36)}`),
  plant((s) => ['run', s], `AKIA${upper(16)}`),
  plant((s) => ['run', s], `sk-${any(48)}`),
  plant((s) => ['app', '--token', s], 'hunter2'),
  plant((s) => ['app', '--token', s], 'swordfish'),
  plant((s) => ['app', `--password=${s}`], 'pass word with spaces'),
  plant((s) => ['app', '-password', s], any(8)),
  plant((s) => ['env', `HF_TOKEN=${s}`, 'python', 'x.py'], any(20)),
  plant((s) => ['env', `PGPASSWORD=${s}`, 'psql'], 'correct horse'),
  plant((s) => ['bash', '-c', `export WANDB_API_KEY=${s}; python train.py`], hex(40)),
  plant((s) => ['bash', '-lc', `export DB_PASS='${s}' && ./run.sh --lr 0.1`], 'a b c d'),
  plant((s) => ['sh', '-c', `curl -H "Authorization: Bearer ${s}" https://x.example`], any(30)),
  plant((s) => ['curl', '-u', `me:${s}`, 'https://x.example'], 'plainword'),
  plant((s) => ['sshpass', '-p', s, 'ssh', 'host'], 'plainword'),
  plant((s) => ['mysql', '-uroot', `-p${s}`, 'db'], 'plainword'),
  plant((s) => ['redis-cli', '-a', s, 'ping'], 'plainword'),
  plant((s) => ['wandb', 'login', s], hex(40)),
  plant((s) => ['aws', 'configure', 'set', 'aws_secret_access_key', s], awsSecret()),
  plant((s) => ['docker', 'run', '-e', `OPENAI_API_KEY=${s}`, 'image'], any(20)),
  plant(
    (s) => ['kubectl', 'create', 'secret', 'generic', 'x', `--from-literal=password=${s}`],
    'plainword',
  ),
  plant((s) => ['java', `-Dspring.datasource.password=${s}`, '-jar', 'x.jar'], any(9)),
  plant((s) => ['train', `logger.api_key=${s}`], any(16)),
  plant((s) => ['train', `+wandb.key=${s}`], any(16)),
  plant((s) => ['git', 'clone', `https://me:${s}@host.example/x`], 'p@ss'),
  plant((s) => ['git', 'clone', `https://${s}@github.com/x/y`], any(40)),
  plant((s) => ['app', `postgresql://user:${s}@db:5432/x`], any(9)),
  plant((s) => ['app', `redis://:${s}@cache:6379/0`], any(9)),
  plant((s) => ['app', `mongodb+srv://u:${s}@c.example/test?retryWrites=true`], any(12)),
  plant((s) => `https://api.example/v1?user=a&access_token=${s}&x=1`, any(20)),
  plant((s) => `https://maps.example/js?key=${s}`, `AIza${any(35)}`),
  plant((s) => `https://x.blob.example/c/f?sv=2022&sig=${s}`, `${any(30)}%3D`),
  plant(
    (s) => `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${s};EndpointSuffix=y`,
    `${any(86)}==`,
  ),
  plant((s) => `Server=db;Database=x;User Id=sa;Password=${s};`, any(12)),
  plant((s) => `-----BEGIN RSA PRIVATE KEY-----\n${s}\n-----END RSA PRIVATE KEY-----`, any(64)),
  plant((s) => `key: "-----BEGIN PRIVATE KEY-----\\n${s}\\n-----END PRIVATE KEY-----\\n"`, any(64)),
  plant((s) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${s}`, any(64)),
  plant((s) => `session ${s} begins`, jwt()),
  plant((s) => `password: ${s}\nuser: x`, 'plainword'),
  plant((s) => `passphrase: ${s}`, 'correct horse battery staple'),
  plant((s) => `api:\n  secret_key: |\n    ${s}\n  other: 1`, any(30)),
  plant((s) => `- name: DB_PASSWORD\n  value: ${s}`, 'plainword'),
  plant((s) => `{"name": "API_TOKEN", "value": "${s}"}`, any(12)),
  plant((s) => `{"auths": {"r.example": {"auth": "${s}"}}}`, base64('user:pass99')),
  plant((s) => `{\\"client_secret\\": \\"${s}\\"}`, any(16)),
  plant((s) => `%7B%22api_key%22%3A%22${s}%22%7D`, any(16)),
  plant((s) => `os.environ["HF_TOKEN"] = "${s}"`, any(20)),
  plant((s) => `os.environ.setdefault('WANDB_API_KEY', '${s}')`, hex(40)),
  plant((s) => `process.env.SECRET_KEY = \`${s}\``, any(20)),
  plant((s) => `const apiKey = "${s}";`, any(20)),
  plant((s) => `client = OpenAI(api_key="${s}", timeout=3)`, any(20)),
  plant((s) => `headers = {'X-Api-Key': '${s}'}`, any(20)),
  plant((s) => `X-Auth-Token: ${s}`, any(20)),
  plant((s) => `Cookie: sessionid=${s}; theme=dark`, any(20)),
  plant((s) => `Authorization: Basic ${s}`, base64('me:plainword')),
  plant((s) => `authorization=AWS4-HMAC-SHA256 Credential=x, Signature=${s}`, hex(64)),
  plant((s) => `<password>${s}</password>`, 'plainword'),
  plant((s) => `<add key="Password" value="${s}" />`, 'plainword'),
  plant((s) => `machine h.example login me password ${s}`, 'plainword'),
  plant((s) => `//registry.example/:_authToken=${s}`, any(20)),
  plant((s) => `CREATE USER x IDENTIFIED BY '${s}'`, 'plainword'),
  plant((s) => `ALTER ROLE x WITH PASSWORD '${s}'`, 'plainword'),
  plant((s) => `the password is ${s}`, any(9)),
  plant((s) => `using token ${s} for upload`, any(20)),
  plant((s) => `echo ${s} | docker login -u me --password-stdin`, 'plainword'),
  plant((s) => `openssl enc -aes-256-cbc -pass pass:${s}`, 'plainword'),
  plant((s) => `payload ${s}`, base64(`export TOKEN=${any(12)}`)),
  plant(
    (s) => `push to https://hooks.slack.com/services/${s}`,
    `T0${upper(8)}/B0${upper(8)}/${any(24)}`,
  ),
  plant((s) => `bot ${s} started`, `${made(DIGITS, 9)}:AA${any(33)}`),
  plant((s) => `upload with ${s}`, `glpat-${any(20)}`),
  plant((s) => `upload with ${s}`, `xoxb-${made(DIGITS, 12)}-${made(DIGITS, 12)}-${any(24)}`),
  plant((s) => `upload with ${s}`, `npm_${any(36)}`),
  plant((s) => `upload with ${s}`, `pypi-AgEIcHlwaS5vcmc${any(60)}`),
  plant((s) => `upload with ${s}`, `dckr_pat_${any(27)}`),
  plant((s) => `upload with ${s}`, `sk_live_${any(24)}`),
  plant((s) => `upload with ${s}`, `SG.${any(22)}.${any(43)}`),
  plant((s) => `upload with ${s}`, `sk-ant-api03-${any(93)}AA`),
  plant((s) => `upload with ${s}`, `nvapi-${any(64)}`),
  plant((s) => `upload with ${s}`, `r8_${any(37)}`),
  plant((s) => `upload with ${s}`, `gsk_${any(52)}`),
  plant((s) => `upload with ${s}`, `dapi${hex(32)}`),
  plant((s) => `upload with ${s}`, `ya29.${any(60)}`),
  plant((s) => `upload with ${s}`, `GOCSPX-${any(28)}`),
  plant((s) => `upload with ${s}`, awsSecret()),
  plant((s) => `lr=0.1 kaggle_key=${s}`, hex(32)),
  plant((s) => `token = "${s}" # do not commit`, 'plainword'),
  plant((s) => `set HF_TOKEN=${s}`, any(20)),
  plant((s) => `$env:API_KEY = "${s}"`, any(20)),
  plant((s) => `setenv API_SECRET ${s}`, any(20)),
];

/** Written before the rules were tried on them, and not looked at while they were made. */
export const SCORING: readonly Planted[] = [
  plant((s) => ['python', 'upload.py', '--hf-token', s], any(30)),
  plant((s) => ['python', 'upload.py', '--hf_token', s, '--lr', '3'], 'letmein'),
  plant((s) => ['python', 'upload.py', `--access-token=${s}`], any(12)),
  plant((s) => ['python', 'upload.py', '--db-password', s], '--S3cret!'),
  plant((s) => ['python', 'upload.py', '--secret', s], '12345678'),
  plant((s) => ['python', 'upload.py', '--client_secret', s], 'x y z'),
  plant((s) => ['python', 'upload.py', '--aws-secret-access-key', s], awsSecret()),
  plant((s) => ['python', 'upload.py', '--credentials', s], `me:${any(8)}`),
  plant((s) => ['python', 'upload.py', '--auth', s], `me:${any(8)}`),
  plant((s) => ['python', 'upload.py', '--openai-key', s], any(18)),
  plant((s) => ['python', 'upload.py', '--encryption-key', s], hex(32)),
  plant((s) => ['python', 'upload.py', '--signing_key', s], any(20)),
  plant((s) => ['python', 'upload.py', '--cookie', s], `sid=${any(20)}`),
  plant((s) => ['python', 'upload.py', '--jwt', s], jwt()),
  plant((s) => ['python', 'upload.py', '--otp', s], '493021'),
  plant((s) => ['python', 'upload.py', '--userPassword', s], 'Summer2024'),
  plant((s) => ['python', 'upload.py', '--config', `{"db": {"pwd": "${s}", "port": 1}}`], 'qwerty'),
  plant((s) => ['python', 'upload.py', '--config', `{'auth_token':'${s}'}`], any(10)),
  plant((s) => ['python', 'upload.py', '--header', `X-API-KEY: ${s}`], any(24)),
  plant((s) => ['python', 'upload.py', 'Authorization:', 'Bearer', s], any(24)),
  plant((s) => ['python', '-c', `import wandb\nwandb.login(key="${s}")`], hex(40)),
  plant(
    (s) => ['python', '-c', `import os; os.environ['AWS_SECRET_ACCESS_KEY']='${s}'; import train`],
    awsSecret(),
  ),
  plant((s) => ['python', '-c', `conn = connect(user="me", password="${s}")`], "it's"),
  plant((s) => ['node', '-e', `new Client({ apiKey: '${s}', n: 1 })`], any(20)),
  plant((s) => ['node', '-e', `fetch(u, {headers: {authorization: 'Bearer ${s}'}})`], any(22)),
  plant((s) => ['bash', '-c', `SECRET="${s}" python train.py --epochs 3`], 'my secret words'),
  plant((s) => ['bash', '-c', `python a.py --token "${s}" | tee log`], 'two words'),
  plant((s) => ['bash', '-c', `TOKEN=${s} exec python a.py`], any(10)),
  plant((s) => ['bash', '-c', `bash -c "export GITHUB_TOKEN=${s}; make"`], any(10)),
  plant((s) => ['bash', '-c', `sshpass -p '${s}' scp a b:`], 'plain word'),
  plant((s) => ['bash', '-c', `mysql -u root -p${s} -e 'select 1'`], 'topsecret'),
  plant((s) => ['bash', '-c', `curl -s -u admin:${s} http://x.example/`], 'admin123'),
  plant((s) => ['sudo', 'docker', 'login', '-u', 'me', '-p', s, 'r.example'], 'plainword'),
  plant((s) => ['helm', 'install', 'x', 'y', '--set', `auth.rootPassword=${s}`], 'plainword'),
  plant((s) => ['docker', 'build', '--build-arg', `NPM_TOKEN=${s}`, '.'], any(12)),
  plant((s) => ['zip', '-P', s, 'a.zip', 'b'], 'plainword'),
  plant((s) => ['7z', 'x', `-p${s}`, 'a.7z'], 'plainword'),
  plant((s) => ['vault', 'login', s], `hvs.${any(90)}`),
  plant((s) => ['ngrok', 'config', 'add-authtoken', s], any(49)),
  plant(
    (s) => ['git', '-c', `http.extraheader=AUTHORIZATION: basic ${s}`, 'fetch'],
    base64('x:y1234'),
  ),
  plant((s) => ['pip', 'install', `--index-url=https://u:${s}@pypi.example/simple`, 'x'], 'qwerty'),
  plant((s) => ['app', `amqp://guest:${s}@mq:5672//`], 'guest1'),
  plant((s) => ['app', `https://${s}@o1.ingest.sentry.example/2`], hex(32)),
  plant((s) => ['app', `jdbc:mysql://db/x?user=a&password=${s}`], 'plainword'),
  plant((s) => ['app', `jdbc:oracle:thin:scott/${s}@db:1521:x`], 'tiger'),
  plant((s) => `wget "https://x.example/f?X-Amz-Signature=${s}&X-Amz-Date=1"`, hex(64)),
  plant((s) => `GET /v1/x?api_key=${s} HTTP/1.1`, any(16)),
  plant((s) => `redirect_uri=x#access_token=${s}&expires_in=3600`, any(30)),
  plant(
    (s) => `Endpoint=sb://x.example/;SharedAccessKeyName=Root;SharedAccessKey=${s}`,
    `${any(43)}=`,
  ),
  plant((s) => `Driver={ODBC};Server=x;Uid=sa;Pwd=${s};Encrypt=yes`, 'Pa$$w0rd'),
  plant((s) => `-----BEGIN EC PRIVATE KEY-----\n${s}\n-----END EC PRIVATE KEY-----\n`, any(60)),
  plant(
    (s) => `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${s}\n-----END PGP PRIVATE KEY BLOCK-----`,
    any(60),
  ),
  plant(
    (s) => `{"type":"service_account","private_key":"-----BEGIN PRIVATE KEY-----\\n${s}\\n"}`,
    any(60),
  ),
  plant((s) => `Cookie: ${s}`, `session=${jwt()}`),
  plant((s) => `Set-Cookie: auth=${s}; HttpOnly`, any(20)),
  plant((s) => `Proxy-Authorization: Basic ${s}`, base64('proxy:word')),
  plant((s) => `authorization: ApiKey ${s}`, any(24)),
  plant((s) => `PRIVATE-TOKEN: ${s}`, any(20)),
  plant((s) => `x-goog-api-key: ${s}`, any(20)),
  plant((s) => `db_password = ${s}`, 'plainword'),
  plant((s) => `DATABASE_PASSWORD: "${s}"`, 'with "quotes'.replace('"', '')),
  plant((s) => `smtp:\n  user: x\n  pass: ${s}`, 'plainword9'),
  plant((s) => `env:\n  - name: SLACK_TOKEN\n    value: "${s}"`, any(14)),
  plant((s) => `[{"Name":"DB_PASS","Value":"${s}"}]`, 'plainword9'),
  plant((s) => `password=${s}`, '1234'),
  plant((s) => `password => '${s}',`, 'plainword'),
  plant((s) => `secret := "${s}"`, 'plainword'),
  plant((s) => `putenv("API_TOKEN", "${s}")`, any(14)),
  plant((s) => `if (password == "${s}")`, 'plainword'),
  plant((s) => `{'Authorization': f'Bearer ${s}'}`, any(30)),
  plant((s) => `api_key='''${s}'''`, any(14)),
  plant((s) => `kwargs={"token": "${s}", "revision": "main"}`, any(14)),
  plant((s) => `Namespace(lr=0.1, wandb_key='${s}', seed=3)`, hex(40)),
  plant((s) => `TrainingArguments(hub_token=${s}, lr=1)`, `hf_${letters(34)}`),
  plant((s) => `phase: login with api key ${s}`, any(24)),
  plant((s) => `curl -H 'PRIVATE-TOKEN: ${s}' https://x`, `glpat-${any(20)}`),
  plant((s) => `sudo -S <<< "${s}"`, 'plainword'),
  plant((s) => `printf '${s}' | gh auth login --with-token`, any(30)),
  plant((s) => `data=${s}`, base64(`{"api_key": "${any(12)}"}`)),
  plant((s) => `q=${encodeURIComponent(`password=${s}`)}`, 'plainword9'),
  plant((s) => `saved as ${s}`, `github_pat_${any(22)}_${any(59)}`),
  plant((s) => `saved as ${s}`, `gho_${any(36)}`),
  plant((s) => `saved as ${s}`, `ASIA${upper(16)}`),
  plant((s) => `saved as ${s}`, `AIza${any(35)}`),
  plant((s) => `saved as ${s}`, `sk-proj-${any(60)}T3BlbkFJ${any(60)}`),
  plant((s) => `saved as ${s}`, `sk-or-v1-${hex(64)}`),
  plant((s) => `saved as ${s}`, `xai-${any(80)}`),
  plant((s) => `saved as ${s}`, `lsv2_pt_${hex(32)}_${hex(10)}`),
  plant((s) => `saved as ${s}`, `dop_v1_${hex(64)}`),
  plant((s) => `saved as ${s}`, `shpat_${hex(32)}`),
  plant((s) => `saved as ${s}`, `rk_live_${any(24)}`),
  plant((s) => `saved as ${s}`, `tskey-auth-${any(12)}-${any(32)}`),
  plant((s) => `saved as ${s}`, `glsa_${any(32)}_${hex(8)}`),
  plant((s) => `saved as ${s}`, `pplx-${any(48)}`),
  plant((s) => `saved as ${s}`, `key-${hex(32)}`),
  plant((s) => `saved as ${s}`, `LTAI${any(20)}`),
  plant((s) => `saved as ${s}`, `ATATT3${any(60)}=${upper(8)}`),
  plant((s) => `saved as ${s}`, `xapp-1-A0${upper(9)}-${made(DIGITS, 13)}-${hex(64)}`),
  plant((s) => `snyk token=${s}`, uuid()),
  plant((s) => `secret_id: ${s} client_secret: x`.replace('secret_id', 'client_secret'), any(40)),
];
