/** Programs that look at what an agent could change: what they print, how they end, what they see of themselves. */
export interface NodeProgram {
  readonly name: string;
  readonly words: readonly string[];
  readonly stdin?: string;
  /** Ended by this signal, when it has printed something. */
  readonly signal?: NodeJS.Signals;
}

/** Longer than the agent waits before it speaks. */
const LATER = 450;

const code = (name: string, text: string, ...flags: string[]): NodeProgram => ({
  name,
  words: [...flags, '-e', text],
});

const module = (name: string, text: string, ...flags: string[]): NodeProgram =>
  code(name, text, '--input-type=module', ...flags);

export const NODE_PROGRAMS: readonly NodeProgram[] = [
  code('nothing', '0'),
  code('an exit in the first tick', 'process.exit(7)'),
  code('an exit later', `setTimeout(() => process.exit(9), ${LATER})`),
  code('a loop that runs empty', `setTimeout(() => console.log('done'), ${LATER})`),
  code('an error at once', "throw new TypeError('wrong')"),
  code('an error later', `setTimeout(() => { throw new Error('later') }, ${LATER})`),
  code('a rejected promise', `setTimeout(() => Promise.reject(new Error('no')), ${LATER})`),
  code(
    'an error that is caught',
    `process.on('uncaughtException', (e) => console.log('caught', e.message)); setTimeout(() => { throw new Error('x') }, ${LATER})`,
  ),
  code('an exit code', `process.exitCode = 3; setTimeout(() => {}, ${LATER})`),
  code(
    'listeners for the end',
    `process.on('beforeExit', (c) => console.log('before', c)); process.on('exit', (c) => console.log('exit', c)); setTimeout(() => {}, ${LATER})`,
  ),
  code(
    'an exit within exit',
    `process.on('exit', () => process.exit(5)); setTimeout(() => {}, ${LATER})`,
  ),
  code(
    'as many listeners as Node allows',
    `for (let i = 0; i < 10; i++) process.on('exit', () => {}); setTimeout(() => console.log(process.listenerCount('exit')), ${LATER})`,
  ),
  code(
    'what it sees of itself',
    `setTimeout(() => console.log(process.env.NODE_OPTIONS, process.execArgv.length, process.argv.length, Object.keys(process).sort().join(), process.eventNames(), Object.keys(globalThis).join()), ${LATER})`,
  ),
  code(
    'what keeps it alive',
    `setTimeout(() => console.log(process.getActiveResourcesInfo()), ${LATER})`,
  ),
  code(
    'what its modules are',
    'console.log(Object.keys(require.cache).length, module.children.length, require.main === module)',
  ),
  code(
    'a child sees nothing',
    `const { execFileSync } = require('child_process'); setTimeout(() => console.log(execFileSync(process.execPath, ['-p', 'process.env.NODE_OPTIONS']).toString()), ${LATER})`,
  ),
  code(
    'a fork speaks',
    `if (process.send) { process.send('hi'); process.disconnect(); } else { const c = require('child_process').spawn(process.execPath, ['-e', "process.send('hi', () => process.disconnect())"], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] }); c.on('message', (m) => console.log(m)); c.on('exit', (code) => console.log(code)); }`,
  ),
  code(
    'workers',
    `const { Worker } = require('worker_threads'); const w = new Worker("setTimeout(() => require('worker_threads').parentPort.postMessage([process.env.NODE_OPTIONS, process.listenerCount('exit')]), ${LATER})", { eval: true }); w.on('message', (m) => console.log(m)); w.on('exit', (c) => console.log('ended', c))`,
  ),
  code(
    'a worker that is ended',
    `const { Worker } = require('worker_threads'); const w = new Worker("setInterval(() => {}, 1000)", { eval: true }); setTimeout(() => w.terminate().then((c) => console.log('ended', c)), ${LATER})`,
  ),
  code(
    'a worker without an environment',
    `const { Worker } = require('worker_threads'); new Worker("console.log(Object.keys(process.env).length)", { eval: true, env: {} })`,
  ),
  code(
    'finalizers at the end',
    `const r = new FinalizationRegistry(() => console.log('finalized')); r.register({}); process.on('exit', () => console.log('exit')); setTimeout(() => {}, ${LATER})`,
  ),
  code(
    'frozen intrinsics',
    `setTimeout(() => console.log('frozen', Object.isFrozen(Array.prototype)), ${LATER})`,
    '--frozen-intrinsics',
  ),
  code('no prototypes', `setTimeout(() => console.log('ok'), ${LATER})`, '--disable-proto=throw'),
  code(
    'no code from strings',
    `setTimeout(() => console.log('ok'), ${LATER})`,
    '--disallow-code-generation-from-strings',
  ),
  code(
    'strict warnings',
    `setTimeout(() => console.log('ok'), ${LATER})`,
    '--throw-deprecation',
    '--pending-deprecation',
    '--trace-warnings',
  ),
  code(
    'errors of rejections',
    `setTimeout(() => console.log('ok'), ${LATER})`,
    '--unhandled-rejections=strict',
  ),
  code(
    'a hook for async work',
    `const seen = new Set(); require('async_hooks').createHook({ init(id, type) { seen.add(type) } }).enable(); setTimeout(() => { console.log('seen', seen.has('Timeout')) }, ${LATER})`,
  ),
  code(
    'storage of async work',
    `const { AsyncLocalStorage } = require('async_hooks'); const s = new AsyncLocalStorage(); s.run(1, () => setTimeout(() => console.log(s.getStore()), ${LATER}))`,
  ),
  code(
    'timers that are made up',
    `const real = setTimeout; globalThis.setTimeout = () => { console.log('made up'); return { unref() {} } }; real(() => console.log('real'), ${LATER * 2})`,
  ),
  code(
    'an emit of its own',
    `const { emit } = process; process.emit = function (name, ...rest) { if (name === 'exit') console.log('own'); return emit.call(this, name, ...rest) }; setTimeout(() => {}, ${LATER})`,
  ),
  code(
    'an emitter made of process',
    `setTimeout(() => { const e = Object.create(process); e.emit('exit', 1); console.log('still here') }, ${LATER})`,
  ),
  code(
    'an address that is gone',
    `delete process.env.HIGHWATER_SOCKET; setTimeout(() => console.log('ok'), ${LATER})`,
  ),
  module(
    'a module',
    `console.log(typeof require, import.meta.url.slice(0, 5)); await new Promise((r) => setTimeout(r, ${LATER}))`,
  ),
  module('a module that never ends', 'await new Promise(() => {})'),
  code(
    'a test of its own',
    `const test = require('node:test'); test('one', (t, done) => setTimeout(done, ${LATER})); process.on('exit', (c) => console.log(c))`,
    '--test-reporter=tap',
  ),
  code(
    'mocked timers',
    `const { mock } = require('node:test'); mock.timers?.enable?.(); setImmediate(() => console.log('ok')); if (mock.timers) mock.timers.reset?.()`,
  ),
  code('a flag of nobody', '0', '--no-such-flag'),
  {
    name: 'a closed input',
    words: ['-e', "process.stdin.on('end', () => console.log('end')).resume()"],
  },
  {
    name: 'an input',
    words: ['-e', "process.stdin.on('data', (d) => console.log(String(d)))"],
    stdin: 'hello',
  },
  { name: 'a program from the input', words: ['-'], stdin: "console.log('from input')" },
  { name: 'its version', words: ['--version'] },
  {
    name: 'an ending by SIGTERM',
    words: ['-e', "setInterval(() => {}, 100); setTimeout(() => console.log('up'), 400)"],
    signal: 'SIGTERM',
  },
  {
    name: 'a listener for SIGTERM',
    words: [
      '-e',
      "process.on('SIGTERM', () => { console.log('term'); process.exit(4) }); setInterval(() => {}, 100); setTimeout(() => console.log('up'), 400)",
    ],
    signal: 'SIGTERM',
  },
  {
    name: 'an ending by SIGINT',
    words: ['-e', "setInterval(() => {}, 100); setTimeout(() => console.log('up'), 400)"],
    signal: 'SIGINT',
  },
];
