// Answers by their question in a Map: for ever, or for five seconds. Silent.
// truth: {"leak": true, "args": ["for-ever"], "culprit": "main|node", "slope": [3150000, 5000000], "per": "second", "why": "four hundred answers a second of 8 kB; V8 lets garbage grow with what stays"}
// truth: {"leak": false, "args": ["five-seconds"]}
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , mode] = process.argv;
const TTL = mode === 'for-ever' ? Infinity : 5;
const answers = new Map();
const began = performance.now();
const seconds = () => (performance.now() - began) / 1000;
let asked = 0;
let hits = 0;

function answer(question) {
  const known = answers.get(question);
  if (known && known.until > seconds()) {
    hits++;
    return known.text;
  }
  const text = randomBytes(4000).toString('hex');
  answers.set(question, { text, until: seconds() + TTL });
  return text;
}

while (seconds() < 50) {
  for (; asked < seconds() * 400; asked++) {
    answer(`question ${asked}`);
    answer(`question ${Math.max(0, asked - 3)}`);
  }
  for (const [question, { until }] of answers) {
    if (until > seconds()) break;
    answers.delete(question);
  }
  await sleep(25);
}
console.log('asked', asked, 'known', hits);
