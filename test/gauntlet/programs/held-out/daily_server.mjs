// Node: a server whose traffic has a day of ten seconds; sessions end with the day, or one in eight stays. It prints nothing.
// truth: {"leak": false, "args": ["sessions-end"]}
// truth: {"leak": true, "args": ["sessions-stay"], "culprit": "main|node", "per": "second", "slope": [150000, 900000]}
import { createServer } from 'node:http';

const sessions = new Map();
const stay = new Map();
let requests = 0;
const server = createServer((request, response) => {
  const id = ++requests;
  sessions.set(id, Buffer.alloc(48 * 1024, id % 256));
  if (process.argv[2] === 'sessions-stay' && id % 8 === 0) stay.set(id, sessions.get(id));
  setTimeout(() => sessions.delete(id), 3000);
  response.end(String(sessions.size));
});
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  const began = Date.now();
  while (Date.now() - began < 80_000) {
    const day = (Date.now() - began) / 10_000;
    const rate = 60 + 50 * Math.sin(2 * Math.PI * day);
    await fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text());
    await new Promise((done) => setTimeout(done, 1000 / rate));
  }
  process.exit(0);
});
