import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GiB, KiB } from '../../../src/base/bytes.ts';
import { DrmSampler } from '../../../src/sources/gpu/drm/sampler.ts';
import { THIS_MACHINE } from '../../../src/sources/source.ts';
import { Shelf } from '../../support/fake-machine.ts';
import { random as seededRandom } from '../../support/random.ts';
import { CLIENT_217, RX_16G } from './listings.ts';
import { PaperMachine } from './paper-machine.ts';

const RECORDER = 100;
const client = (id: number, kib: number) =>
  CLIENT_217.replace('\t217', `\t${id}`).replace('2068', String(kib));

function machineWithCard(): PaperMachine {
  const machine = new PaperMachine();
  machine.card(RX_16G);
  machine.add({ pid: RECORDER });
  return machine;
}

/** The next look at ten a second. */
const soon = (seconds: number) => seconds + 0.1;

describe('who holds a card', () => {
  it('is known of the recorded tree at each look: children as they come, files as they are opened', () => {
    const machine = machineWithCard();
    const { look, held } = machine.clients(RECORDER);
    look(1);
    machine.add({ pid: 101, ppid: RECORDER });
    machine.newestPid(101);
    look(soon(1));
    expect(held()).toEqual({});
    machine.add({ pid: 102, ppid: 101 });
    machine.opens(102, 5, '/dev/dri/renderD128', client(1, 64));
    machine.newestPid(102);
    look(soon(1.2));
    expect(held()).toEqual({ 102: 64 * KiB });
    machine.write('proc/102/fdinfo/5', client(1, 4096));
    look(soon(1.4));
    expect(held()).toEqual({ 102: 4096 * KiB });
    machine.remove(102);
    machine.newestPid(103);
    // On paper an open file outlives its process: it is missed when all are listed.
    look(soon(2.6));
    expect(held()).toEqual({});
  });

  it('is known of everybody else within a second, and sooner while it moves', () => {
    const machine = machineWithCard();
    for (let pid = 200; pid < 240; pid++) {
      machine.add({ pid });
      machine.opens(pid, 3, '/dev/dri/renderD128', client(pid, 1));
    }
    const { look, held } = machine.clients(RECORDER);
    for (let at = 1; at <= 5; at += 0.25) look(at);
    for (let pid = 200; pid < 240; pid++) machine.write(`proc/${pid}/fdinfo/3`, client(pid, 2));
    look(5.25);
    const risen = () => Object.values(held()).filter((bytes) => bytes === 2 * KiB).length;
    expect(risen()).toBeGreaterThanOrEqual(10);
    expect(risen()).toBeLessThan(20);
    for (let at = 5.5; at <= 6; at += 0.25) look(at);
    expect(risen()).toBe(40);
    for (let pid = 200; pid < 240; pid++) machine.write(`proc/${pid}/fdinfo/3`, client(pid, 3));
    look(6.25);
    expect(Object.values(held()).every((bytes) => bytes === 3 * KiB)).toBe(true);
  });

  it('is known of more descriptors than this process may hold open', () => {
    const machine = machineWithCard();
    machine.write(
      'proc/self/limits',
      'Max open files            40                   40       files\n',
    );
    machine.add({ pid: 200 });
    for (let id = 1; id <= 30; id++) machine.opens(200, id, '/dev/dri/renderD128', client(id, 8));
    const { look, held } = machine.clients(RECORDER);
    look(1);
    expect(held()).toEqual({ 200: 240 * KiB });
    for (let id = 1; id <= 30; id++) machine.write(`proc/200/fdinfo/${id}`, client(id, 9));
    look(2);
    expect(held()).toEqual({ 200: 270 * KiB });
    machine.closes(200, 30);
    for (let at = 3; at < 15; at++) look(at);
    expect(held()).toEqual({ 200: 261 * KiB });
  });

  it('is nobody where nobody is left, though a process has as many files open as before', () => {
    const machine = machineWithCard();
    machine.add({ pid: 200 });
    machine.opens(200, 3, '/dev/dri/renderD128', client(1, 1));
    const { look, held, clients } = machine.clients(RECORDER);
    onTestFinished(() => clients.close());
    look(1);
    look(1.1);
    expect(held()).toEqual({ 200: KiB });
    machine.closes(200, 3);
    machine.opens(200, 4, '/dev/null', client(1, 1));
    for (let at = 2; at < 14; at++) look(at);
    expect(held()).toEqual({});
  });

  it('survives files that no kernel writes, and processes that go while they are looked at', () => {
    const machine = machineWithCard();
    const random = seededRandom(27);
    machine.add({ pid: 300 });
    machine.opens(300, 1, '/dev/dri/renderD128', client(9, 1024 * 1024));
    const noise = Array.from({ length: 3000 }, () => String.fromCharCode(random() * 256)).join('');
    machine.opens(300, 2, '/dev/dri/renderD128', noise);
    machine.opens(300, 3, '/dev/dri/renderD128', `drm-pdev:\t0000:08:00.0\n${'x'.repeat(1e6)}`);
    machine.opens(
      300,
      4,
      '/dev/dri/renderD999',
      'drm-pdev:\t../../etc\ndrm-resident-vram:\t9 MiB\n',
    );
    machine.opens(300, 5, '/dev/dri/../../etc/passwd', '');
    machine.link('proc/300/fd/6', '/dev/dri/renderD128'); // no fdinfo
    machine.link('proc/300/fd/7', '/dev/dri/renderD128');
    mkdirSync(join(machine.proc, '300/fdinfo/7'));
    symlinkSync('8', join(machine.proc, '300/fd/8')); // a link to itself
    machine.write('proc/301/fd', 'a file'); // no folder
    machine.write('proc/302/stat', 'no process');
    machine.write('proc/99999999999999999999/fd/1', '');
    const { look, held } = machine.clients(RECORDER);
    for (let at = 1; at < 3; at += 0.1) look(at);
    expect(held()).toEqual({ 300: GiB });
    for (let descriptor = 1; descriptor < 6; descriptor++) {
      rmSync(join(machine.proc, `300/fdinfo/${descriptor}`));
    }
    rmSync(join(machine.proc, '300/fd'), { recursive: true });
    for (let at = 3; at < 30; at += 1) look(at);
    expect(held()).toEqual({});
  });

  it('survives files whose reading fails, or never ends', () => {
    const machine = machineWithCard();
    machine.add({ pid: 300 });
    machine.opens(300, 1, '/dev/dri/renderD128', client(9, 1024));
    const hostile: [descriptor: number, file: string][] = [
      [2, '/proc/self/mem'], // EIO at its beginning
      [3, '/dev/zero'],
      [4, '/dev/urandom'],
      [5, '/dev/full'],
      [6, '/proc/self/smaps'], // more lines than fit
    ];
    for (const [descriptor, file] of hostile) {
      machine.link(`proc/300/fd/${descriptor}`, '/dev/dri/renderD128');
      machine.link(`proc/300/fdinfo/${descriptor}`, file);
    }
    const { look, held } = machine.clients(RECORDER);
    for (let at = 1; at < 4; at += 0.1) look(at);
    expect(held()).toEqual({ 300: 1024 * KiB });
    // One that goes bad midway holds nothing from then on, and the others are as they were.
    machine.opens(300, 7, '/dev/dri/renderD128', client(10, 512));
    for (let at = 15; at < 18; at++) look(at);
    expect(held()).toEqual({ 300: 1536 * KiB });
    machine.closes(300, 7);
    machine.link('proc/300/fd/7', '/dev/dri/renderD128');
    machine.link('proc/300/fdinfo/7', '/proc/self/mem');
    for (let at = 30; at < 33; at++) look(at);
    expect(held()[300]).toBeLessThanOrEqual(1536 * KiB);
  });

  it('is looked for on this machine without harm, whoever its processes belong to', () => {
    const machine = machineWithCard();
    const shelf = new Shelf();
    const events = { onWarning: () => expect.fail(), onHolder: () => {} };
    const sampler = new DrmSampler(
      { sys: machine.sys, machine: THIS_MACHINE },
      { sink: shelf, events },
    );
    for (let at = 1; at < 3; at += 0.1) sampler.sample({ time: at * 1e9, full: true });
    sampler.close();
    expect(shelf.rows('gpu').length).toBe(20);
  });
});
