// A server of ws that has a list of its clients, each with the messages it was sent: those who left stay in it, or not.
const { WebSocket, WebSocketServer } = require('ws');

const [, , mode] = process.argv;
const VISITS = 1800;
const clients = new Set();
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
server.on('connection', (socket) => {
  const client = { socket, outbox: [] };
  clients.add(client);
  socket.on('message', (data) => {
    const text = `${data} `.repeat(20);
    client.outbox.push(text.toUpperCase());
    socket.send(text);
  });
  if (mode === 'leave') socket.on('close', () => clients.delete(client));
});

function visit(url, number) {
  return new Promise((done, fail) => {
    const socket = new WebSocket(url);
    let heard = 0;
    socket.on('open', () => {
      for (let i = 0; i < 10; i++) socket.send(`visitor ${number} says ${'la '.repeat(60)}${i}`);
    });
    socket.on('message', () => {
      if (++heard === 10) socket.close();
    });
    socket.on('close', done);
    socket.on('error', fail);
  });
}

server.on('listening', async () => {
  const url = `ws://127.0.0.1:${server.address().port}`;
  const began = performance.now();
  for (let number = 1; number <= VISITS; number++) {
    await visit(url, number);
    console.log(`visit ${number}/${VISITS} clients ${clients.size}`);
    await new Promise((done) => setTimeout(done, Math.max(0, began + number * 25 - performance.now())));
  }
  process.exit(0);
});
