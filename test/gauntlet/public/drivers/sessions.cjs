// express with express-session and its MemoryStore, which it warns of itself: a session for each visitor, or for those who log in.
const express = require('express');
const session = require('express-session');

const [, , mode] = process.argv;
const VISITS = 2000;
const app = express();
app.use(session({ secret: 'a', resave: false, saveUninitialized: false }));
app.get('/', (request, response) => {
  const page = 'x'.repeat(200) + request.sessionID;
  if (mode === 'each') request.session.basket = Array.from({ length: 1000 }, (_, i) => `${page.length} item ${i}`);
  response.json({ page });
});

const server = app.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}/`;
  const began = performance.now();
  for (let visit = 1; visit <= VISITS; visit++) {
    const { page } = await (await fetch(url)).json();
    console.log(`visit ${visit}/${VISITS} page ${page.length}`);
    const early = began + visit * 22 - performance.now();
    if (early > 0) await new Promise((done) => setTimeout(done, early));
  }
  process.exit(0);
});
