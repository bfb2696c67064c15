import { hostname } from 'node:os';
import { basename } from 'node:path';
import { rankFrom } from '../sources/process-tree/rank.ts';

const PROTOCOL_VERSION = 1;

export const ownRank = () => rankFrom((name) => process.env[name]);

/** Who speaks, and what it can be asked (docs/agent-protocol.md). */
export function hello(answers: readonly string[]) {
  return {
    type: 'hello',
    version: PROTOCOL_VERSION,
    pid: process.pid,
    language: 'node',
    rank: ownRank(),
    host: hostname(),
    program: basename(process.argv[1] ?? ''),
    time: Number(process.hrtime.bigint()),
    wall: Date.now() * 1e6,
    answers,
  };
}
