// express with express-session and its MemoryStore, which it warns of itself: a session for each visitor, or for those who log in.
const express = require('express');
const session = require('express-session');

const [, , mode] = process.argv;
const SECONDS = 50;
const RATE = 40;
const app = express();
app.use(session({ secret: 'a', resave: false, saveUninitialized: false }));
app.get('/', (request, response) => {
  const page = 'x'.repeat(200) + request.sessionID;
  if (mode === 'each') request.session.basket = Array.from({ length: 700 }, (_, i) => `${page.length} item ${i}`);
  response.json({ page });
});

const server = app.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}/`;
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
  let visits = 0;
  while (elapsed() < SECONDS) {
    for (; visits < elapsed() * RATE; visits++) fetch(url).then((response) => response.json());
    await new Promise((done) => setTimeout(done, 25));
  }
  console.log('visits', visits);
  process.exit(0);
});
