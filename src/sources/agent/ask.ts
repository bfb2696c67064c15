import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { UserError } from '../../base/errors.ts';

/** The recorder's socket that a process was started with; null: it runs under no recorder, or is not ours to see. */
export function socketOf(pid: number, proc = '/proc'): string | null {
  try {
    const words = readFileSync(`${proc}/${pid}/environ`, 'latin1').split('\0');
    const found = words.find((word) => word.startsWith('HIGHWATER_SOCKET='));
    return found ? Buffer.from(found.slice(found.indexOf('=') + 1), 'latin1').toString() : null;
  } catch {
    return null;
  }
}

const MOST_BYTES = 1 << 20;

/** Asks the agent in a process, by way of the recorder that the process runs under; what it answered. */
export function askAgent(
  pid: number,
  what: string,
  options: object = {},
  timeoutMs = 30_000,
): Promise<unknown> {
  const path = socketOf(pid);
  if (path === null) {
    const hint = 'start it with: highwater record -- …';
    throw new UserError(`process ${pid} does not run under a recorder`, { hint });
  }
  return new Promise((resolve, reject) => {
    const fail = (text: string) => {
      connection.destroy();
      reject(new UserError(`process ${pid} did not answer: ${text}`));
    };
    const timer = setTimeout(
      () => fail(`nothing came within ${timeoutMs / 1000} s; it may be busy`),
      timeoutMs,
    );
    const connection = createConnection(path, () =>
      connection.write(`${JSON.stringify({ type: 'ask', pid, what, options })}\n`),
    );
    let text = '';
    connection.setEncoding('utf8');
    connection.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MOST_BYTES) fail('its answer has no end');
    });
    connection.on('error', () => fail('its recorder is gone'));
    connection.on('close', () => clearTimeout(timer));
    connection.on('end', () => {
      const answer = parse(text);
      if (answer === null) fail('what came is no answer');
      else if (answer.error !== undefined) fail(answer.error);
      else resolve(answer.value);
    });
  });
}

/** Whether an agent speaks in a process that can be asked that. */
export async function answersTo(pid: number, what: string, timeoutMs = 5_000): Promise<boolean> {
  try {
    const identity = (await askAgent(pid, 'whoami', {}, timeoutMs)) as { answers?: unknown } | null;
    return Array.isArray(identity?.answers) && identity.answers.includes(what);
  } catch {
    return false;
  }
}

function parse(text: string): { value: unknown; error: string | undefined } | null {
  try {
    const { type, value, error } = JSON.parse(text) as Record<string, unknown>;
    if (type !== 'answer') return null;
    return { value, error: error === undefined ? undefined : String(error) };
  } catch {
    return null;
  }
}
