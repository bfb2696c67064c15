import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import type { Socket } from 'node:net';

const [TEXT, CLOSE, PING, PONG] = [1, 8, 9, 10];
/** An inspector's messages are small; a longer one is none. */
const LONGEST = 1 << 28;

/**
 * A client for text messages over a local connection: Node 20 has none of its own, and the inspector
 * speaks nothing else.
 */
export class WebSocketClient {
  onMessage: (text: string) => void = () => {};
  onClose: () => void = () => {};
  readonly #socket: Socket;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #parts: Buffer[] = [];

  static connect(url: string, timeoutMs: number): Promise<WebSocketClient> {
    const { hostname, port, pathname } = new URL(url);
    return new Promise((resolve, reject) => {
      const asked = request({
        host: hostname,
        port,
        path: pathname,
        timeout: timeoutMs,
        headers: {
          Connection: 'Upgrade',
          Upgrade: 'websocket',
          'Sec-WebSocket-Version': '13',
          'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
        },
      });
      asked.once('upgrade', (_response, socket, head) => {
        socket.setTimeout(0);
        resolve(new WebSocketClient(socket as Socket, head));
      });
      asked.once('response', ({ statusCode }) => reject(new Error(`it answered ${statusCode}`)));
      asked.once('timeout', () => asked.destroy(new Error('it does not answer')));
      asked.once('error', reject);
      asked.end();
    });
  }

  private constructor(socket: Socket, head: Buffer) {
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', () => {});
    socket.once('close', () => this.onClose());
    // The first message may have come with the answer; who asked is not listening before the next turn.
    if (head.length > 0) setImmediate(() => this.#take(head));
  }

  send(text: string): void {
    this.#frame(TEXT, Buffer.from(text));
  }

  close(): void {
    this.#frame(CLOSE, Buffer.alloc(0));
    this.#socket.end();
  }

  #frame(kind: number, payload: Buffer): void {
    const { length } = payload;
    const head =
      length < 126
        ? Buffer.from([0x80 | kind, 0x80 | length])
        : length < 65_536
          ? Buffer.from([0x80 | kind, 0x80 | 126, length >> 8, length & 255])
          : Buffer.concat([Buffer.from([0x80 | kind, 0x80 | 127, 0, 0, 0, 0]), uint32(length)]);
    // Clients must mask what they send.
    const mask = randomBytes(4);
    const masked = Buffer.from(payload);
    for (let i = 0; i < length; i++) masked[i]! ^= mask[i & 3]!;
    this.#socket.write(Buffer.concat([head, mask, masked]));
  }

  #take(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    for (;;) {
      const frame = this.#nextFrame();
      if (!frame) return;
      const { kind, last, payload } = frame;
      if (kind === PING) this.#frame(PONG, payload);
      else if (kind === CLOSE) this.#socket.end();
      else if (kind <= 2) {
        this.#parts.push(payload);
        if (!last) continue;
        const text = Buffer.concat(this.#parts).toString('utf8');
        this.#parts = [];
        this.onMessage(text);
      }
    }
  }

  #nextFrame(): { kind: number; last: boolean; payload: Buffer } | null {
    if (this.#pendingBytes < 2) return null;
    let head = this.#peek(Math.min(this.#pendingBytes, 10));
    const short = head[1]! & 127;
    const headLength = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (this.#pendingBytes < headLength) return null;
    head = this.#peek(headLength);
    const length =
      short === 126
        ? head.readUInt16BE(2)
        : short === 127
          ? Number(head.readBigUInt64BE(2))
          : short;
    if (length > LONGEST) {
      this.#socket.destroy();
      return null;
    }
    if (this.#pendingBytes < headLength + length) return null;
    const frame = this.#peek(headLength + length);
    this.#pending = [this.#pending[0]!.subarray(headLength + length)];
    this.#pendingBytes -= headLength + length;
    return {
      kind: head[0]! & 15,
      last: (head[0]! & 128) !== 0,
      payload: frame.subarray(headLength),
    };
  }

  /** The next bytes in one piece; what they come in is joined only when it must be. */
  #peek(length: number): Buffer {
    if (this.#pending[0]!.length < length) this.#pending = [Buffer.concat(this.#pending)];
    return this.#pending[0]!.subarray(0, length);
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
