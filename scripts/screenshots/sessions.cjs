// Takes two heaps of itself; between them a registry keeps 400 more sessions.
const v8 = require('node:v8');

class Session {
  constructor(id) {
    this.id = id;
    this.user = { name: `user ${id}`, rights: ['read', 'write'] };
    this.history = Array.from({ length: 200 }, (_, step) => ({ step, text: `${id}: step ${step}` }));
  }
}

class Registry {
  sessions = new Map();

  grow(count) {
    for (let i = 0; i < count; i++) {
      const session = new Session(this.sessions.size);
      this.sessions.set(session.id, session);
    }
  }
}

globalThis.registry = new Registry();
const [before, after] = process.argv.slice(2);
globalThis.registry.grow(200);
v8.writeHeapSnapshot(before);
globalThis.registry.grow(400);
v8.writeHeapSnapshot(after);
