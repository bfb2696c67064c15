import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderFiles } from '../../src/model/disk/files.ts';
import { openRecording } from '../../src/model/disk/reader.ts';
import { tempFolder } from '../support/files.ts';
import { needs, python } from '../support/programs.ts';
import { highwater } from '../support/recorder.ts';

/** Where only children may be traced the program says that anybody may. */
const PROGRAM = `
import ctypes, sys, zlib
ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1 % (1 << 64)))
class Session: pass
def serve():
    sessions = [Session() for _ in range(3000)]
    texts = {number: "text %d" % number * 40 for number in range(20000)}
    print("ready", flush=True)
    checksum = 0
    for line in sys.stdin:
        for number in range(1000):
            checksum = zlib.crc32(texts[number % 20000].encode(), checksum)
        print(checksum, flush=True)
serve()
`;

const GROWN_BYTES = 400e6;
/** Grows by so much as soon as there is a fork of it. */
const GROWING = `
import ctypes, os, sys, threading, time
ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1 % (1 << 64)))
texts = ["text %d" % number for number in range(200000)]
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
grown = []
forked = threading.Event()
os.register_at_fork(after_in_parent=forked.set)
def grow():
    forked.wait()
    grown.append(b"x" * ${GROWN_BYTES})
threading.Thread(target=grow, daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    print(resident(), flush=True)
`;

async function start(program = PROGRAM) {
  const child = spawn(python(), ['-c', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  expect(await next()).toBe('ready');
  const ask = () => {
    child.stdin.write('\n');
    return next();
  };
  return { child, pid: child.pid!, ask };
}

describe('snapshot --pid', () => {
  needs('python3', 'gdb')(
    'leaves an ordinary recording of what a program holds, which goes on as it would have',
    async () => {
      const [looked, alone] = [await start(), await start()];
      const folder = join(tempFolder(), 'now.hw');
      const before = await looked.ask();
      const words = ['snapshot', '--pid', String(looked.pid), '-o', folder];
      const { code, stderr } = await highwater(words);
      expect(String(stderr)).toMatch(/the program stood still for \d+ ms; [\d,]+ objects/);
      expect(code).toBe(0);
      expect(before).toBe(await alone.ask());
      expect(await looked.ask()).toBe(await alone.ask());

      const recording = openRecording(folderFiles(folder));
      const { look, heaps, endedAt, subject } = recording.run;
      expect(subject).toBe('pid');
      expect(endedAt).not.toBeNull();
      expect(look).toMatchObject({ pid: looked.pid, runtime: 'python' });
      expect(look!.parts.map(({ name, error }) => [name, error])).toEqual([
        ['held', undefined],
        ['sizes', undefined],
        ['heap', undefined],
      ]);
      expect(heaps).toMatchObject([{ file: 'heap/0/python.hwheap', pid: looked.pid }]);
      const objects = recording.table('objects');
      const types = [...objects.u32('type')].map((id) => recording.text(id));
      expect(types).toContain('str');
      expect(objects.f64('bytes')[types.indexOf('str')]).toBeGreaterThan(20_000 * 40 * 6);
      // Variables of a function that ran, which a fork has lost.
      const holders = [...recording.table('held').u32('holder')].map((id) => recording.text(id));
      expect(holders.some((name) => name.startsWith('texts in serve()'))).toBe(true);
      expect(JSON.parse(readFileSync(join(folder, 'sizes.json'), 'utf8')).told).toHaveLength(1);

      const report = await highwater(['report', folder]);
      expect(report.code).toBe(0);
      const heap = await highwater(['heap', folder, '--json', '--ask', 'by type']);
      expect(heap.code).toBe(0);
      expect(String(heap.stdout)).toMatch(/Session/);
    },
  );

  // With 200,000 texts and all of Python the writing takes many samples longer than the growth.
  needs('python3', 'gdb')('is of the moment of the fork, however it goes on', async () => {
    const { child, pid, ask } = await start(GROWING);
    const folder = join(tempFolder(), 'now.hw');
    const { code } = await highwater(['snapshot', '--pid', String(pid), '-o', folder]);
    expect(code).toBe(0);
    // It has grown to its whole size before the writing ended.
    const grown = Number(await ask());
    expect(grown).toBeGreaterThan(GROWN_BYTES);
    child.kill('SIGKILL');
    const recording = openRecording(folderFiles(folder));
    const { look } = recording.run;
    const process = recording.table('process');
    const sizes = process.f64('rss');
    expect(process.rows).toBeGreaterThan(0);
    expect(Math.max(...process.f64('time'))).toBeLessThanOrEqual(look!.ns);
    expect(Math.max(...sizes)).toBeLessThan(GROWN_BYTES / 2);
    expect(recording.table('held').f64('time')[0]).toBe(look!.ns);
    const { stdout } = await highwater(['report', folder, '--json']);
    expect(JSON.parse(String(stdout)).headline.bytes).toBeLessThan(GROWN_BYTES / 2);
  });

  needs('python3', 'gdb')('refuses in one line, and leaves nothing behind', async () => {
    const place = tempFolder();
    const { child, pid } = await start();
    const sleeper = spawn('sleep', ['60']);
    onTestFinished(() => void sleeper.kill('SIGKILL'));
    const refused = async (...words: string[]) => {
      const { code, stderr } = await highwater(['snapshot', ...words, '-o', join(place, 'x.hw')]);
      expect(code).toBe(2);
      expect(String(stderr).trim().split('\n').length).toBeLessThanOrEqual(2);
      expect(readdirSync(place)).toEqual([]);
      return String(stderr);
    };
    expect(await refused('--pid', '4194303')).toMatch(/there is no process 4194303/);
    expect(await refused('--pid', String(sleeper.pid))).toMatch(/neither Node nor Python/);
    expect(await refused('--pid', String(pid), '--no-attach')).toMatch(/recorder/);
    expect(await refused()).toMatch(/--pid/);
    expect(await refused('nope.hw')).toMatch(/there is no file or folder nope\.hw/);
    expect(await refused(resolve('package.json'))).toMatch(/package\.json is no recording/);
    child.kill('SIGSTOP');
    expect(await refused('--pid', String(pid))).toMatch(/is stopped.*kill -CONT/s);
    child.kill('SIGCONT');
    expect(existsSync(`/proc/${pid}`)).toBe(true);
  });

  it('takes the objects of a Node program by its inspector', async () => {
    const text =
      'class Basket{}; globalThis.all=[...Array(500)].map(()=>new Basket()); console.log("ready"); setInterval(()=>{},1e6)';
    const child = spawn(process.execPath, ['-e', text], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
    const folder = join(tempFolder(), 'node.hw');
    const { code, stderr } = await highwater([
      'snapshot',
      '--pid',
      String(child.pid),
      '-o',
      folder,
    ]);
    expect(String(stderr)).toMatch(/attached by inspector/);
    expect(code).toBe(0);
    const recording = openRecording(folderFiles(folder));
    expect(recording.run.look).toMatchObject({ runtime: 'v8', by: 'inspector' });
    expect(recording.table('objects').rows).toBeGreaterThan(5);
    expect(child.exitCode).toBeNull();
  });
});
