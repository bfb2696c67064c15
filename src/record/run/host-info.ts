import { arch, cpus, hostname, platform, release, totalmem } from 'node:os';
import { VERSION } from '../../base/version.ts';
import type { RunInfo } from '../../model/run.ts';
import { SOURCES } from '../../sources/index.ts';
import { THIS_MACHINE } from '../../sources/source.ts';

/** What is known of a run before it starts: the machine, the recorder, what can be measured. */
export function surroundings(): Pick<RunInfo, 'host' | 'recorder' | 'sources' | 'startedAt'> {
  return {
    host: {
      name: hostname(),
      platform: platform(),
      kernel: release(),
      arch: arch(),
      cpus: cpus().length,
      memoryBytes: totalmem(),
    },
    recorder: { version: VERSION, pid: process.pid },
    sources: SOURCES.map((source) => ({ id: source.id, ...source.probe(THIS_MACHINE) })),
    startedAt: new Date().toISOString(),
  };
}
