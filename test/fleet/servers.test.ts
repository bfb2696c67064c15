import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { PROMETHEUS_PART, PROMETHEUS_VERSIONS, startPrometheus } from './servers/prometheus.ts';
import { fleetPython } from './servers/python.ts';
import { freePorts, serverFolder, startServer, whereFleet } from './servers/server.ts';
import { startSlurm } from './servers/slurm.ts';
import {
  startVictoriaMetrics,
  VICTORIA_METRICS_PART,
  VICTORIA_METRICS_VERSIONS,
} from './servers/victoria-metrics.ts';

const version = (text: string) => /\d+\.\d+/.exec(text)?.[0];

describe('the servers that the fleet is tried against', () => {
  for (const wanted of PROMETHEUS_VERSIONS) {
    whereFleet(PROMETHEUS_PART[wanted])(`Prometheus ${wanted} answers`, async () => {
      const server = await startPrometheus(wanted);
      const built = await (await fetch(`${server.url}/api/v1/status/buildinfo`)).json();
      expect(version(JSON.stringify(built))).toBe(wanted);
      expect(await server.query('vector(7)')).toMatchObject([{ value: [expect.any(Number), '7'] }]);
      await server.stop();
      await expect(fetch(server.url)).rejects.toThrow();
    });
  }

  for (const wanted of VICTORIA_METRICS_VERSIONS) {
    whereFleet(VICTORIA_METRICS_PART[wanted])(
      `VictoriaMetrics ${wanted} gives back what was imported`,
      async () => {
        const server = await startVictoriaMetrics(wanted);
        const body = '{"metric":{"__name__":"kept"},"values":[7],"timestamps":[1700000000000]}';
        await fetch(`${server.url}/api/v1/import`, { method: 'POST', body });
        await server.flush();
        const [found] = await server.query('kept', 1_700_000_000);
        expect(found?.value[1]).toBe('7');
      },
    );
  }

  whereFleet('slurm')(
    'Slurm runs a task on each of four nodes and hands exit codes on',
    async () => {
      const slurm = await startSlurm();
      const out = join(slurm.folder, 'out.txt');
      const hello = 'srun -l sh -c \'echo "$SLURM_PROCID $SLURMD_NODENAME [$LD_LIBRARY_PATH]"\'';
      await slurm.batch('-N4', '-n4', '-o', out, '--wrap', hello);
      const lines = readFileSync(out, 'utf8').trim().split('\n').sort();
      expect(lines).toEqual([0, 1, 2, 3].map((rank) => `${rank}: ${rank} n${rank} []`));
      await expect(slurm.batch('-N1', '-o', out, '--wrap', 'exit 7')).rejects.toMatchObject({
        code: 7,
      });
    },
  );

  whereFleet('python')('ClickHouse, DuckDB and pyarrow answer in Python', () => {
    const program = `
import chdb, duckdb, pyarrow
print(str(chdb.query("SELECT sum(number) FROM numbers(5)", "CSV")).strip())
print(duckdb.sql("SELECT sum(range) FROM range(5)").fetchall()[0][0])
print(pyarrow.array([1, 2]).sum())`;
    const output = execFileSync(fleetPython(), ['-c', program], { encoding: 'utf8' });
    expect(output.trim().split('\n')).toEqual(['10', '10', '3']);
  });

  whereFleet('debian')('a server that ends at once is an error with what it said', async () => {
    const [port] = await freePorts(1);
    const started = startServer({
      command: 'sh',
      args: ['-c', 'echo no such thing >&2; exit 3'],
      url: `http://127.0.0.1:${port}`,
      folder: serverFolder('none'),
      ready: () => Promise.resolve(false),
    });
    await expect(started).rejects.toThrow(/ended at once:\nno such thing/);
  });
});
