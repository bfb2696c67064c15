// Builds a real heap of so many samples and has V8 write it down: about 13 objects a sample.
import { writeHeapSnapshot } from 'node:v8';

class Token {
  constructor(i) {
    this.id = i;
    this.span = [i, i + 1];
    this.text = `token ${i}`;
  }
}

class Sample {
  constructor(i, previous) {
    this.index = i;
    this.tokens = [new Token(i), new Token(i + 1)];
    this.previous = previous;
    this.meta = { seen: i % 7, label: `label ${i % 1000}` };
  }
}

const [count, file] = [Number(process.argv[2]), process.argv[3]];
const samples = [];
for (let i = 0; i < count; i++) samples.push(new Sample(i, i % 100 ? samples[i - 1] : null));
globalThis.samples = samples;
writeHeapSnapshot(file);
