import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GpuSession } from '../../../src/sources/gpu/backend.ts';
import { Clients } from '../../../src/sources/gpu/drm/clients.ts';
import { ComputeFiles } from '../../../src/sources/gpu/drm/kfd.ts';
import { DrmSampler, openCards } from '../../../src/sources/gpu/drm/sampler.ts';
import { FakeMachine, Shelf } from '../../support/fake-machine.ts';

export interface PaperCard {
  /** 0000:03:00.0 */
  readonly pci: string;
  readonly driver: string;
  /** 1002:744C */
  readonly id: string;
  /** The number of `card1` and, from 128 on, of `renderD129`. */
  readonly node: number;
  /** Further files of the device's folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A machine with graphics cards, of paper: folders that look like /proc and /sys. */
export class PaperMachine extends FakeMachine {
  /** Control groups lie in /sys, by which the rest of it is found. */
  override readonly cgroup: string = join(dirname(this.proc), 'sys/fs/cgroup');

  get sys(): string {
    return join(dirname(this.proc), 'sys');
  }

  constructor() {
    super();
    this.write('proc/sys/kernel/osrelease', '6.14.0-test\n');
    this.link('proc/self/ns/pid', 'pid:[4026531836]');
  }

  card({ pci, driver, id, node, files = {} }: PaperCard): void {
    const folder = `sys/devices/pci0000:00/${pci}`;
    const event = [`DRIVER=${driver}`, 'PCI_CLASS=30000', `PCI_ID=${id}`, `PCI_SLOT_NAME=${pci}`];
    this.write(`${folder}/uevent`, `${event.join('\n')}\n`);
    for (const [name, text] of Object.entries(files)) this.write(`${folder}/${name}`, text);
    mkdirSync(join(dirname(this.proc), folder, `drm/renderD${128 + node}`), { recursive: true });
    this.link(`sys/class/drm/card${node}/device`, join(this.sys, '..', folder));
    this.link(`sys/class/drm/renderD${128 + node}/device`, join(this.sys, '..', folder));
  }

  /** Opens a device file in a process; the text is its fdinfo. */
  opens(pid: number, descriptor: number, device: string, text: string): void {
    this.link(`proc/${pid}/fd/${descriptor}`, device);
    this.write(`proc/${pid}/fdinfo/${descriptor}`, text);
  }

  closes(pid: number, descriptor: number): void {
    for (const folder of ['fd', 'fdinfo'])
      rmSync(join(this.proc, `${pid}/${folder}/${descriptor}`));
  }

  link(path: string, target: string): void {
    const file = join(dirname(this.proc), path);
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true });
    symlinkSync(target, file);
  }

  /** Who holds its cards, asked without a recording's budget. */
  clients(own: number) {
    const files = { sys: this.sys, machine: this };
    const cards = openCards(files, new ComputeFiles(files), 0);
    // A clock that stands: what looks cost here, on a machine of paper, is no matter.
    const clients = new Clients(this, cards, own, { passed: () => 0, processor: () => 0 });
    return {
      clients,
      look: (seconds: number) => clients.look(seconds * 1e9),
      held: (gpu = 0) => Object.fromEntries(clients.on(cards[gpu]!)),
    };
  }

  /** Its cards as a recording sees them. */
  measured(own = 1, session: Partial<GpuSession> = {}) {
    const shelf = new Shelf();
    const warnings: string[] = [];
    const holders: number[] = [];
    const events = {
      onWarning: (text: string) => warnings.push(text),
      onHolder: (pid: number) => holders.push(pid),
    };
    const sampler = new DrmSampler(
      { sys: realpathSync(this.sys), machine: this },
      { sink: shelf, events, ...session },
      own,
    );
    return {
      sampler,
      warnings,
      holders,
      findings: sampler.findings,
      sample: (seconds: number) => sampler.sample({ time: seconds * 1e9, full: true }),
      cards: () => shelf.rows('gpu'),
      /** Bytes by pid at the last sample, on a card. */
      held(gpu = 0) {
        const rows = shelf.rows('gpu_process');
        const last = rows.at(-1)?.time;
        return Object.fromEntries(
          rows
            .filter((row) => row.time === last && row.gpu === gpu && row.pid !== 0)
            .map(({ pid, used }) => [pid, used]),
        );
      },
    };
  }
}

/** A line `name:\tvalue` each. */
export const fdinfo = (...lines: string[]) =>
  ['pos:\t0', 'flags:\t02100002', 'mnt_id:\t24', 'ino:\t1204', ...lines, ''].join('\n');
