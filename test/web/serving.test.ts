import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InputsInfo } from '../../src/model/inputs-info.ts';
import { highwater, place, sleep } from '../support/recorder.ts';
import { ask, type Served, serving } from './serving.ts';

const RECORDING = `${process.cwd()}/test/fixtures/recordings/v4.hw`;
const withToken = ({ token }: Served) => ({ 'x-highwater-token': token });

/** Asks until everything is opened or refused. */
async function settled(served: Served): Promise<InputsInfo> {
  for (;;) {
    const job: InputsInfo = JSON.parse((await ask(served, '/api/job', withToken(served))).body);
    const busy = job.runs.some(({ status }) => status === 'opening' || status === 'waiting');
    if (job.runs.length > 0 && !busy) return job;
    await sleep(50);
  }
}

describe('the server', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serving([RECORDING], { until: afterAll });
  });

  it('answers those who have the token, and nobody else', async () => {
    const job = await settled(served);
    expect(job.runs).toMatchObject([{ id: '0', status: 'open', error: null }]);
    for (const path of ['/', '/app.js', '/api/job', '/api/live', '/api/run/0/report']) {
      expect((await ask(served, path)).status, path).toBe(403);
      const wrong = { 'x-highwater-token': 'A'.repeat(served.token.length) };
      expect((await ask(served, path, wrong)).status, path).toBe(403);
    }
    const report = await ask(served, '/api/run/0/report', withToken(served));
    const told = await highwater(['report', RECORDING, '--json']);
    expect(JSON.parse(report.body)).toEqual(JSON.parse(String(told.stdout)));
  });

  it('gives a cookie for the token in the address, for this port and site alone', async () => {
    const page = await ask(served, `/?token=${served.token}`);
    expect(page.status).toBe(200);
    const cookie = String(page.headers['set-cookie']);
    expect(cookie).toContain(`highwater-${served.url.port}=`);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    const held = { cookie: cookie.split(';')[0]! };
    expect((await ask(served, '/api/job', held)).status).toBe(200);
    const other = held.cookie.replace(/highwater-\d+/, 'highwater-1');
    expect((await ask(served, '/api/job', { cookie: other })).status).toBe(403);
    expect((await ask(served, '/?token=')).status).toBe(403);
  });

  it('refuses other names for itself and other pages, with the token or not', async () => {
    const known = withToken(served);
    const { port } = served.url;
    const status = async (headers: Record<string, string>) =>
      (await ask(served, '/api/job', { ...known, ...headers })).status;
    expect(await status({ host: `evil.example:${port}` })).toBe(403);
    expect(await status({ host: `127.0.0.1.evil.example:${port}` })).toBe(403);
    expect(await status({ host: `localhost:${port}` })).toBe(200);
    // Through ssh -L the reader's port may be another one.
    expect(await status({ host: 'localhost:9999' })).toBe(200);
    expect(await status({ origin: 'http://evil.example' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
    expect(await status({ origin: `http://127.0.0.1:${port}` })).toBe(200);
    expect(await status({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' })).toBe(403);
  });

  it('serves its own files and nothing else', async () => {
    const known = withToken(served);
    const paths = [
      '/../package.json',
      '/..%2f..%2fpackage.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/web/../cli.js',
      '/cli.js',
      '//etc/passwd',
      '/api/run/0/../../../../etc/passwd',
      '/api/run/..%2f0/report',
      '/api/run/1/report',
      '/api/run/0/constructor',
      '/api/run/0/report/more/__proto__',
      '/api/job/report',
      '/api/',
    ];
    for (const path of paths) {
      const { status, body } = await ask(served, path, known);
      const harmless = path.includes('report/more') ? [200, 404] : [400, 404];
      expect(harmless, path).toContain(status);
      expect(body).not.toContain('root:');
    }
    expect((await ask(served, '/api/job', known, 'POST')).status).toBe(405);
    expect((await ask(served, '/api/cancel?run=0', known)).status).toBe(405);
    const page = await ask(served, '/', known);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self' 'sha256-");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(page.body).not.toMatch(/https?:\/\//);
  });

  it('says what is wrong with a question', async () => {
    await settled(served);
    const about = async (query: string) =>
      ask(served, `/api/run/0/timeline?${query}`, withToken(served));
    expect(await about('from=x')).toMatchObject({ status: 400, body: 'from is no number: x' });
    expect(await about('from=3&to=2')).toMatchObject({ status: 400 });
    expect((await about('columns=1e99&from=0&to=1')).status).toBe(200);
  });

  it('says what could not be opened, and shows the rest', async () => {
    const [nonsense, empty] = [place('nonsense.bin'), place('empty.csv')];
    writeFileSync(nonsense, 'nothing that anybody knows');
    writeFileSync(empty, '');
    const several = await serving([nonsense, RECORDING, empty, '/no/such/file']);
    const { runs } = await settled(several);
    expect(runs.map(({ status }) => status)).toEqual(['failed', 'open', 'failed', 'failed']);
    expect(runs[0]!.error).toContain('is of no format that Highwater knows');
    expect(runs[2]!.error).toContain('is empty');
    expect(runs[3]!.error).toContain('there is no file or folder /no/such/file');
    expect((await ask(several, '/api/run/1/report', withToken(several))).status).toBe(200);
    expect((await ask(several, '/api/run/0/report', withToken(several))).status).toBe(404);
  });

  it('prints what to type at the other end of an SSH connection', async () => {
    const env = { SSH_CONNECTION: '10.0.0.1 50000 10.0.0.2 22' };
    const remote = await serving([RECORDING], { env });
    const { port } = remote.url;
    while (!remote.said().includes('Ctrl-C')) await sleep(20);
    expect(remote.said()).toMatch(
      new RegExp(`ssh -N -L ${port}:127\\.0\\.0\\.1:${port} \\S+@\\S+`),
    );
  });

  it('is refused where nothing is there, in one line', async () => {
    const { code, stderr } = await highwater(['view', 'no-such', '--no-open']);
    expect([code, stderr]).toEqual([2, 'highwater: there is no file or folder no-such\n']);
  });

  it('says when its port is taken', async () => {
    const { url } = served;
    const second = await highwater(['view', RECORDING, '--no-open', '--port', url.port]);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`port ${url.port} is taken`);
  });
});
