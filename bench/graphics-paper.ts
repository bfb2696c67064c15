import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A machine of paper for `graphics-clients`; run as a program of its own, it lives: memory moves, processes come. */

export const PROCESSES = 500;
export const DESCRIPTORS = 1600;
/** Of them the workload's: a training with its loaders, each with a few open files of the card. */
const OURS = 9;
/** What keeps a machine busy: a new process so often, though none of them has to do with a card. */
const BIRTHS_HZ = 10;
/** What a process of others has on the card moves so often: a desktop, a service that answers. */
const LIVELY = 5;
const CARD = '0000:03:00.0';
/** The recorder's pid. */
export const OWN = 1000;

export function makePaper(root: string): void {
  const paper = new Paper(root);
  paper.make();
  paper.live();
}

/** Folders that look like /proc and /sys. */
class Paper {
  readonly proc: string;
  readonly sys: string;
  #newest = 90_000;
  #turn = 0;

  constructor(root: string) {
    this.proc = join(root, 'proc');
    this.sys = join(root, 'sys');
  }

  make(): void {
    this.#card();
    for (let i = 0; i < PROCESSES; i++) this.#process(i);
    for (let i = 0; i < DESCRIPTORS; i++) this.#opens(i);
    for (const name of ['self', 'thread-self']) symlinkSync(`/proc/${name}`, join(this.proc, name));
  }

  /** A moment later: the workload's memory moved, that of some others, and processes came. */
  live(): void {
    this.#turn++;
    for (let i = 0; i < OURS + LIVELY; i++) this.#tell(i, i);
    this.#write('proc/loadavg', `1.00 1.00 1.00 3/999 ${++this.#newest}\n`);
  }

  /** One of the others, each time another. */
  moveSomebody(): { pid: number; bytes: number } {
    const i = OURS + LIVELY + (this.#turn % (PROCESSES - OURS - LIVELY));
    const clients = Array.from({ length: DESCRIPTORS }, (_, at) => at).filter(
      (at) => at % PROCESSES === i,
    );
    const kib = clients.map((client) => this.#tell(i, client));
    return { pid: OWN + i, bytes: 1024 * kib.reduce((sum, one) => sum + one, 0) };
  }

  #card(): void {
    const folder = `sys/devices/pci0000:00/${CARD}`;
    this.#write(`${folder}/uevent`, `DRIVER=amdgpu\nPCI_ID=1002:73BF\nPCI_SLOT_NAME=${CARD}\n`);
    this.#write(`${folder}/mem_info_vram_total`, '17163091968\n');
    this.#write(`${folder}/mem_info_vram_used`, '4294967296\n');
    this.#write(`${folder}/gpu_metrics`, '\x78\x00\x01\x03');
    this.#write(`${folder}/drm/renderD128/dev`, '226:128\n');
    mkdirSync(join(this.sys, 'class/drm/card0'), { recursive: true });
    symlinkSync(join(this.sys, '..', folder), join(this.sys, 'class/drm/card0/device'));
  }

  #process(i: number): void {
    const parent = i > 0 && i < OURS ? OWN : 1;
    const rest = Array.from({ length: 48 }, () => '0').join(' ');
    this.#write(`proc/${OWN + i}/stat`, `${OWN + i} (worker) S ${parent} ${rest}\n`);
    mkdirSync(join(this.proc, String(OWN + i), 'fd'), { recursive: true });
  }

  #opens(i: number): void {
    const link = join(this.proc, String(OWN + (i % PROCESSES)), 'fd', String(3 + i));
    symlinkSync('/dev/dri/renderD128', link);
    this.#tell(i % PROCESSES, i);
  }

  /** As amdgpu of Linux 6.13 and newer writes it. */
  #tell(process: number, client: number): number {
    const kib = 2048 + ((this.#turn * 4 + client) % 1e6);
    const lines = ['pos:\t0', 'flags:\t02100002', 'mnt_id:\t24', 'ino:\t1204'];
    lines.push('drm-driver:\tamdgpu', `drm-client-id:\t${client + 1}`, `drm-pdev:\t${CARD}`);
    for (const region of ['cpu', 'gtt', 'vram']) {
      for (const kind of ['total', 'shared', 'active', 'resident', 'purgeable']) {
        lines.push(`drm-${kind}-${region}:\t${region === 'vram' ? `${kib} KiB` : '0'}`);
      }
    }
    lines.push(`drm-memory-vram:\t${kib} KiB`, `drm-engine-gfx:\t${this.#turn}394561168 ns`, '');
    this.#write(`proc/${OWN + process}/fdinfo/${3 + client}`, lines.join('\n'));
    return kib;
  }

  #write(path: string, text: string): void {
    const file = join(this.proc, '..', path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
}

const [root] = process.argv.slice(2);
if (process.send && root) {
  const paper = new Paper(root);
  setInterval(() => paper.live(), 1000 / BIRTHS_HZ);
  setInterval(() => process.send?.(paper.moveSomebody()), 1000);
}
