import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FLEET } from './folder.ts';

const run = promisify(execFile);
const SOURCES = '/etc/apt';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

const SUITES = {
  debian: [
    ['debian', 'bookworm'],
    ['debian-security', 'bookworm-security'],
  ],
  testing: [['debian', 'testing']],
} as const;
export type Suite = keyof typeof SUITES;

/**
 * Unpacks Debian packages of a suite into a folder. apt gets lists, a cache and sources of its own, so that the
 * machine's are left as they are; its proxies and mirror are used.
 */
export async function unpack(suite: Suite, names: readonly string[], into: string): Promise<void> {
  const own = join(FLEET, 'apt', suite);
  const downloads = join(own, `for-${names[0]}`);
  for (const folder of ['lists/partial', 'cache/archives/partial', `for-${names[0]}`]) {
    mkdirSync(join(own, folder), { recursive: true });
  }
  const sources = SUITES[suite].map(
    ([archive, name]) => `deb [signed-by=${KEYRING}] ${mirror()}/${archive} ${name} main\n`,
  );
  writeFileSync(join(own, 'sources.list'), sources.join(''));
  const settings = {
    'Dir::Etc::sourcelist': join(own, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(own, 'lists'),
    'Dir::State::status': '/dev/null',
    'Dir::Cache': join(own, 'cache'),
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled': 'false',
    'Acquire::Retries': '3',
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  const apt = (...words: string[]) =>
    run('apt-get', [...options, '-qq', ...words], { cwd: downloads });
  if (!readdirSync(join(own, 'lists')).some((name) => name.endsWith('_Packages'))) {
    await apt('update', '--error-on=any');
  }
  await apt('download', ...names);
  for (const file of readdirSync(downloads)) await run('dpkg', ['-x', join(downloads, file), into]);
  rmSync(downloads, { recursive: true });
}

/** Where this machine gets Debian's packages from. */
function mirror(): string {
  const found = [SOURCES, join(SOURCES, 'sources.list.d')].flatMap((folder) => {
    try {
      return readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(list|sources)$/.test(entry.name))
        .map((entry) => /^[^#\n]*?(https?:\S+)\/debian\/?\s/m.exec(text(folder, entry.name))?.[1]);
    } catch {
      return [];
    }
  });
  return found.find((address) => address !== undefined) ?? 'http://deb.debian.org';
}

const text = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');
