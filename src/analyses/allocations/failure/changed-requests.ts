import { OP, type Program } from '../replay/program.ts';
import type { Requests } from '../replay/requests.ts';

/** How a program's requests would differ. */
export interface Change {
  /** The size that a row would have; 0: it would not be asked for. */
  readonly sizeOf?: (row: number) => number;
  /** The request that failed. */
  readonly asked?: (bytes: number) => number;
  /** Further requests at the end, none of which is freed. */
  readonly more?: readonly number[];
}

/** The same program with some of its requests changed: what the allocator would have been asked then. */
export function changedRequests(program: Program, change: Change): Requests {
  const { life, trace, start, oomDomains } = program;
  const { sizeOf, asked, more = [] } = change;
  const count = life.count + more.length;
  const size = new Float64Array(count);
  size.set(life.size.subarray(0, life.count));
  const dropped = new Uint8Array(count);
  if (sizeOf) {
    for (let row = 0; row < life.count; row++) {
      const bytes = sizeOf(row);
      if (bytes > 0) size[row] = bytes;
      else if (life.size[row]! > 0) dropped[row] = 1;
    }
  }
  const events = program.events + more.length;
  const ops = new Uint8Array(events);
  const rows = new Uint32Array(events);
  const domainOf = new Uint16Array(count);
  ops.set(program.ops);
  rows.set(program.rows);
  domainOf.set(program.domainOf);
  for (let event = 0; event < program.events; event++) {
    const op = ops[event]!;
    const isOfRow = op === OP.allocate || op === OP.free || op === OP.letGo || op === OP.passing;
    if (isOfRow && dropped[rows[event]!]) ops[event] = OP.nothing;
  }
  const domain = oomDomains.at(-1) ?? 0;
  for (const [i, bytes] of more.entries()) {
    size[life.count + i] = bytes;
    domainOf[life.count + i] = domain;
    ops[program.events + i] = OP.allocate;
    rows[program.events + i] = life.count + i;
  }
  return {
    events,
    ops,
    rows,
    domainOf,
    domains: program.domains,
    start: {
      ...start,
      segments: start.segments.map((segment) => ({
        ...segment,
        blocks: segment.blocks.filter(({ row }) => !dropped[row]),
      })),
    },
    driver: program.driver,
    oomDomains,
    life: { count, size },
    trace: {
      ooms: asked
        ? trace.ooms.map((oom) => ({ ...oom, requested: asked(oom.requested) }))
        : trace.ooms,
    },
  };
}
