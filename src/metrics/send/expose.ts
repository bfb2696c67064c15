import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UserError } from '../../base/errors.ts';
import { TEXT_TYPE } from '../wire/text.ts';

/** Where a server may come and ask. */
export interface ExposeAddress {
  readonly host: string;
  readonly port: number;
}

/** `:9400` and `9400` are of this machine alone; others need an address: `0.0.0.0:9400`. */
export function exposeAddress(text: string): ExposeAddress {
  const parts = /^(?:(\[[\da-fA-F:]+\]|[\w.-]*):)?(\d{1,5})$/.exec(text);
  const port = Number(parts?.[2]);
  if (!parts || port > 65_535) {
    throw new UserError(`'${text}' is no place to be asked at`, {
      hint: 'write it as :9400, which is for this machine alone, or 0.0.0.0:9400 for all',
    });
  }
  return { host: parts[1]?.replace(/^\[|\]$/g, '') || '127.0.0.1', port };
}

/** Answers `GET /metrics` with what is newest. */
export class Exposition {
  readonly #server: Server;

  static async open(
    { host, port }: ExposeAddress,
    text: () => string,
  ): Promise<{ exposition: Exposition; url: string }> {
    const server = createServer((request, response) => {
      const path = request.url?.split('?')[0];
      const isKnown = path === '/metrics' && /^(GET|HEAD)$/.test(request.method!);
      response.writeHead(isKnown ? 200 : 404, {
        'content-type': isKnown ? TEXT_TYPE : 'text/plain',
      });
      response.end(isKnown ? text() : 'highwater: GET /metrics\n');
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    const { address, port: chosen } = server.address() as AddressInfo;
    const shown = address.includes(':') ? `[${address}]` : address;
    return { exposition: new Exposition(server), url: `http://${shown}:${chosen}/metrics` };
  }

  private constructor(server: Server) {
    this.#server = server;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
