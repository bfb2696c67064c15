import { fileURLToPath } from 'node:url';
import { fleetPython } from './python.ts';
import { answers, freePorts, type Server, serverFolder, startServer } from './server.ts';

const SCRIPT = fileURLToPath(new URL('chdb_server.py', import.meta.url));

export interface ClickHouseServer extends Server {
  readonly port: number;
  /** A statement in, rows out. */
  ask<Row = Record<string, unknown>>(statement: string, database?: string): Promise<Row[]>;
}

/** ClickHouse's engine behind HTTP, see chdb_server.py; a user: only that one may ask. */
export async function startClickHouse(
  user?: { readonly name: string; readonly password: string },
  folder = serverFolder('chdb'),
): Promise<ClickHouseServer> {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const server = await startServer({
    command: fleetPython(),
    args: [SCRIPT, String(port), folder],
    url,
    folder,
    env: { ...process.env, ...(user && { CHDB_USER: user.name, CHDB_PASSWORD: user.password }) },
    ready: () => answers(`${url}/ping`),
  });
  const headers = user && { 'x-clickhouse-user': user.name, 'x-clickhouse-key': user.password };
  const ask = async <Row>(statement: string, database = 'highwater'): Promise<Row[]> => {
    const named = statement.replaceAll('{db}', database);
    const body = `${named.trim().replace(/;$/, '')} FORMAT JSONEachRow`;
    const response = await fetch(url, { method: 'POST', body, ...(headers && { headers }) });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Row);
  };
  return { ...server, port: port!, ask };
}
