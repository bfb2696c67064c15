// Node: sessions in a Map, of which one in four never ends, or all end; a slow stream whose "wait" is unheeded, or obeyed.
// It starts with a rehearsal, and what comes and goes is many times what stays: the collector comes again and again.
// truth: {"leak": true, "args": ["sessions-stay"], "culprit": "main|node", "slope": [62000, 180000], "per": "iteration", "why": "64 kB stay in each step; V8 lets garbage grow with what stays"}
// truth: {"leak": false, "args": ["sessions-end"]}
// truth: {"leak": true, "args": ["wait-unheeded"], "culprit": "main|node", "slope": [62000, 130000], "per": "iteration", "why": "four chunks of 64 KiB in each step, of which three are written"}
// truth: {"leak": false, "args": ["wait-obeyed"]}
import { Writable } from 'node:stream';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

const [, , mode] = process.argv;
const STEPS = 700;
const REHEARSAL = 1200;
const sessions = new Map();
const page = Buffer.alloc(3200);
const waiting = [];
const disk = new Writable({
  highWaterMark: 256 * 1024,
  write(_chunk, _encoding, done) {
    waiting.push(done);
  },
});

function login(step) {
  for (let i = 0; i < 40; i++) {
    const cart = page.fill(i).toString('hex');
    const stays = step >= 0 && mode === 'sessions-stay' && i % 4 === 0;
    sessions.set(`${step}-${i}`, { ends: stays ? Infinity : step + 20, cart });
  }
  for (const [id, session] of sessions) if (session.ends <= step) sessions.delete(id);
}

function upload(step) {
  for (let i = 0; i < 3; i++) waiting.shift()?.();
  for (let i = 0; i < 4; i++) {
    const obeys = step < 0 || mode === 'wait-obeyed';
    if (obeys && disk.writableNeedDrain) return;
    disk.write(Buffer.alloc(64 * 1024, i));
  }
}

function request(step) {
  const items = Array.from({ length: 1000 }, (_, i) => ({ i, price: step + i / 3 }));
  const body = JSON.parse(JSON.stringify(items));
  if (mode.startsWith('sessions')) login(step);
  else upload(step);
  return body.length / (step + 1);
}

for (let step = -REHEARSAL; step < 0; step++) {
  request(step);
  await turn();
}
for (let step = 0; step < STEPS; step++) {
  const loss = request(step);
  await sleep(8);
  console.log(`step ${step + 1}/${STEPS} loss ${loss.toFixed(4)}`);
}
