import type { Socket } from 'node:net';
import type { AgentAnswer } from './kinds/answer.ts';
import type { Ask } from './kinds/ask.ts';
import type { Hello } from './kinds/hello.ts';

/** Questions that wait for an answer at once; an asker that does not read must not fill our memory. */
const MOST_PENDING = 64;

interface Agent {
  readonly connection: Socket;
  readonly hello: Hello;
}

/**
 * The recorder between those who ask (`highwater sizes --pid`) and the agents that answer: it passes a
 * question on to the process that it is for, and the answer back. It never answers for a process.
 */
export class RequestRouter {
  readonly #agents = new Map<number, Agent>();
  readonly #pending = new Map<number, { readonly asker: Socket; readonly of: Socket }>();
  #last = 0;

  /** A process speaks, and says what it can be asked. */
  add(connection: Socket, hello: Hello): void {
    // One that answers nothing does not stand in the way of one that does, in the same process.
    if (hello.answers?.length !== 0) this.#agents.set(hello.pid, { connection, hello });
  }

  ask({ pid, what, options }: Ask, asker: Socket): void {
    const agent = this.#agents.get(pid);
    const refusal = this.#refusal(agent, pid, what);
    if (refusal !== null) refuse(asker, what, refusal);
    else if (what === 'whoami') reply(asker, { what, value: identityOf(agent!.hello) });
    else {
      const id = ++this.#last;
      this.#pending.set(id, { asker, of: agent!.connection });
      agent!.connection.write(`${JSON.stringify({ type: 'request', id, what, options })}\n`);
    }
  }

  /** A question of the recorder's own, which nobody waits for: what comes of it is told as anything else. */
  tell(pid: number, what: string): void {
    const agent = this.#agents.get(pid);
    if (this.#refusal(agent, pid, what) !== null) return;
    const request = { type: 'request', id: ++this.#last, what, options: {} };
    agent!.connection.write(`${JSON.stringify(request)}\n`);
  }

  #refusal(agent: Agent | undefined, pid: number, what: string): string | null {
    if (!agent) return `no agent speaks in process ${pid}`;
    if (what !== 'whoami' && !agent.hello.answers?.includes(what)) {
      return `the agent in process ${pid} does not answer to '${what}'`;
    }
    return this.#pending.size < MOST_PENDING ? null : 'too many questions at once';
  }

  answer({ id, what, value, error }: AgentAnswer, from: Socket): void {
    const pending = this.#pending.get(id);
    // Only the process that was asked may answer.
    if (pending?.of !== from) return;
    this.#pending.delete(id);
    if (error === undefined) reply(pending.asker, { what, value });
    else refuse(pending.asker, what, error);
  }

  /** A connection is gone: an agent's, whose askers are told, or an asker's. */
  remove(connection: Socket): void {
    for (const [pid, agent] of this.#agents) {
      if (agent.connection === connection) this.#agents.delete(pid);
    }
    for (const [id, { asker, of }] of this.#pending) {
      if (of === connection) refuse(asker, '', 'the process ended before it answered');
      if (of === connection || asker === connection) this.#pending.delete(id);
    }
  }
}

const identityOf = ({ language, program, rank, answers = [] }: Hello) => ({
  language,
  program,
  rank,
  answers,
});

const refuse = (asker: Socket, what: string, error: string) => reply(asker, { what, error });

function reply(asker: Socket, fields: object): void {
  asker.end(`${JSON.stringify({ type: 'answer', ...fields })}\n`);
}
