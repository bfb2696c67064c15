import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GiB, KiB, MiB } from '../../../src/base/bytes.ts';
import { drm } from '../../../src/sources/gpu/drm/index.ts';
import {
  A310_CLIENT,
  A750_VRAM_MM,
  ARC_A750,
  CLIENT_30,
  CLIENT_217,
  mi308,
  RX_16G,
  rx570,
  strixHalo,
  UHD_CLIENT,
  XE_CLIENT,
} from './listings.ts';
import { PaperMachine } from './paper-machine.ts';

const none = Number.NaN;

describe('AMD cards by their files', () => {
  it('are read to the byte, and named by their chip and revision', () => {
    const { findings, sample, cards, held } = rx570().measured();
    sample(1);
    expect(findings.cards).toEqual([
      {
        index: 0,
        uuid: '0000:01:00.0',
        name: 'AMD Radeon RX 570 Series',
        memoryBytes: 4 * GiB,
      },
    ]);
    expect(findings.driver).toBe('amdgpu of Linux 6.14.0-test');
    // GTT of a card is the machine's memory, not the card's.
    expect(cards()).toEqual([
      {
        time: 1e9,
        gpu: 0,
        used: 1207959552,
        reserved: none,
        free: 4 * GiB - 1207959552,
        total: 4 * GiB,
      },
    ]);
    // A kernel that says nothing of clients: somebody is there, and nobody knows with how much.
    expect(held()).toEqual({ 2217: none });
    expect(findings.notes.join()).toContain('may be an APU, which this kernel does not tell');
  });

  it('count a client once, however many descriptors and processes share it', () => {
    const machine = new PaperMachine();
    machine.card(RX_16G);
    const second = CLIENT_217.replace('client-id:\t217', 'client-id:\t218').replace('2068', '4');
    machine.add({ pid: 2217 });
    machine.add({ pid: 2300, ppid: 2217 });
    for (const descriptor of [9, 10, 99]) {
      machine.opens(2217, descriptor, '/dev/dri/renderD128', CLIENT_217);
    }
    machine.opens(2217, 100, '/dev/dri/card0', second);
    machine.opens(2300, 99, '/dev/dri/renderD128', CLIENT_217);
    machine.opens(2300, 3, '/dev/null', CLIENT_217.replace('217', '219'));
    const { findings, sample, held, holders } = machine.measured();
    sample(1);
    expect(held()).toEqual({ 2217: 2072 * KiB });
    expect(holders).toEqual([2217]);
    expect(findings.cards[0]).toMatchObject({ uuid: 'GPU-a1b2c3d4e5f60718' });
    expect(findings.notes).toEqual([]);
    // The first lets go: the memory is the other's.
    for (const descriptor of [9, 10, 99, 100]) machine.closes(2217, descriptor);
    sample(12);
    expect(held()).toEqual({ 2300: 2068 * KiB });
  });

  it('are told apart by their addresses where one client’s number is on both', () => {
    const machine = new PaperMachine();
    machine.card(RX_16G);
    machine.card({ ...RX_16G, pci: '0000:04:00.0', node: 1 });
    machine.add({ pid: 7 });
    machine.opens(7, 3, '/dev/dri/renderD129', CLIENT_30);
    machine.opens(7, 4, '/dev/dri/renderD128', CLIENT_217.replace('\t217', '\t30'));
    const { sample, held, findings } = machine.measured();
    sample(1);
    expect(findings.cards.map(({ index, name }) => [index, name])).toEqual([
      [0, 'amdgpu 1002:73bf'],
      [1, 'amdgpu 1002:73bf'],
    ]);
    expect(held(0)).toEqual({ 7: 544428 * KiB });
    expect(held(1)).toEqual({ 7: 2068 * KiB });
  });

  it('that are part of a processor (APUs) have their memory in GTT as well', () => {
    const { findings, sample, cards, held } = strixHalo(25864192000).measured();
    sample(1);
    expect(findings.cards[0]!.memoryBytes).toBe(1073741824 + 120259084288);
    expect(cards()[0]).toMatchObject({
      used: 1006202880 + 25864192000,
      total: 1073741824 + 120259084288,
    });
    expect(held()).toEqual({ 7100: (25258000 + 5348) * KiB });
    expect(findings.notes[0]).toContain('has its memory from the machine');
  });

  it('that are cut into partitions are one card each, in the order in which programs count', () => {
    const machine = mi308();
    machine.write('sys/class/kfd/kfd/proc/4100/vram_24248', '1073741824\n');
    machine.write('sys/class/kfd/kfd/proc/4100/vram_57034', '536870912\n');
    machine.write('sys/class/kfd/kfd/proc/4200/vram_16964', '4096\n');
    machine.write('sys/class/kfd/kfd/proc/4200/vram_99999', '4096\n');
    const { findings, sample, held } = machine.measured();
    sample(1);
    expect(findings.cards.map(({ uuid, name }) => [uuid, name])).toEqual([
      ['0000:0a:00.0', 'AMD Instinct MI308X'],
      ['0000:a4:00.0', 'AMD Instinct MI308X'],
    ]);
    expect(held(0)).toEqual({ 4100: 1.5 * GiB });
    expect(held(1)).toEqual({ 4200: 4096 });
    expect(findings.notes[0]).toBe(
      'GPU 0 (AMD Instinct MI308X) is in partitions (CPX, memory NPS4), which are measured together as one card',
    );
  });

  it('tell what others compute with, who may not be looked into, and never twice', () => {
    const machine = mi308();
    machine.add({ pid: 4100 });
    const client = CLIENT_217.replace('0000:08:00.0', '0000:0a:00.0').replace('2068', '2097152');
    machine.opens(4100, 5, '/dev/dri/renderD128', client);
    machine.write('sys/class/kfd/kfd/proc/4100/vram_24248', '1073741824\n');
    machine.write('sys/class/kfd/kfd/proc/4300/vram_24248', '65536\n');
    const { sample, held } = machine.measured();
    sample(1);
    expect(held(0)).toEqual({ 4100: 2 * GiB, 4300: 65536 });
  });

  it('in a container do not take the host’s process ids for its own', () => {
    const machine = mi308();
    machine.link('proc/self/ns/pid', 'pid:[4026532900]');
    machine.write('sys/class/kfd/kfd/proc/4100/vram_24248', '1073741824\n');
    const { sample, held } = machine.measured();
    sample(1);
    expect(held(0)).toEqual({});
  });

  it('that stop answering are unknown from then on, with one warning', () => {
    const machine = new PaperMachine();
    machine.card(RX_16G);
    const { sample, cards, warnings } = machine.measured();
    sample(1);
    machine.write('sys/devices/pci0000:00/0000:08:00.0/mem_info_vram_used', '');
    sample(2);
    sample(3);
    machine.write('sys/devices/pci0000:00/0000:08:00.0/mem_info_vram_used', '77\n');
    sample(3.5);
    sample(4);
    expect(cards().map(({ used }) => used)).toEqual([25165824, none, none, none, 77]);
    expect(warnings).toEqual([
      'GPU 0 (amdgpu 1002:73bf) does not answer any more; its memory is unknown from then on',
    ]);
  });

  it('whose driver tells no memory are named with the reason', () => {
    const machine = new PaperMachine();
    machine.card({ ...RX_16G, files: {} });
    const { findings, sample, cards } = machine.measured();
    sample(1);
    expect(findings.cards[0]).toMatchObject({
      memoryBytes: 0,
      reason: expect.stringContaining('its kernel driver tells no memory'),
    });
    expect(cards()).toEqual([]);
    expect(findings.notes).toEqual([
      expect.stringMatching(/^GPU 0 \(amdgpu 1002:73bf\) is not measured: its kernel driver/),
    ]);
  });
});

describe('Intel cards by their files', () => {
  const pciIds = `# names
8086  Intel Corporation
\t4692  Alder Lake-S GT1 [UHD Graphics 730]
\t56a1  DG2 [Arc A750]
\t56a6  DG2 [Arc A310]
1002  Advanced Micro Devices
\t56a1  Not this one
`;

  it('under xe are whole where debugfs may be read', () => {
    const machine = new PaperMachine();
    machine.card(ARC_A750);
    machine.write('usr/share/misc/pci.ids', pciIds);
    machine.write('sys/kernel/debug/dri/0000:03:00.0/tile0/vram_mm', A750_VRAM_MM);
    machine.add({ pid: 50 });
    machine.opens(50, 4, '/dev/dri/renderD128', XE_CLIENT);
    const { findings, sample, cards, held } = machine.measured();
    sample(1);
    expect(findings.cards[0]).toMatchObject({
      name: 'Intel Arc A750',
      uuid: '0000:03:00.0',
      memoryBytes: 8522825728,
    });
    expect(cards()[0]).toMatchObject({
      used: 32079872,
      free: 8522825728 - 32079872,
      total: 8522825728,
    });
    expect(held()).toEqual({ 50: 23992 * KiB });
    expect(findings.notes).toEqual([]);
  });

  it('under xe have their size from the control group of device memory, and what processes hold', () => {
    const machine = new PaperMachine();
    machine.card(ARC_A750);
    machine.write(
      'sys/fs/cgroup/dmem.capacity',
      'drm/0000:03:00.0/vram0 8522825728\ndrm/0000:03:00.0/vram1 1024\ndrm/0000:04:00.0/vram0 7\n',
    );
    machine.add({ pid: 50 });
    machine.add({ pid: 51 });
    machine.opens(50, 4, '/dev/dri/renderD128', XE_CLIENT);
    machine.opens(50, 5, '/dev/dri/renderD128', XE_CLIENT);
    machine.opens(
      51,
      5,
      '/dev/dri/renderD128',
      XE_CLIENT.replace('client-id:\t3', 'client-id:\t4'),
    );
    const { findings, sample, cards } = machine.measured();
    sample(1);
    expect(findings.cards[0]!.memoryBytes).toBe(8522825728 + 1024);
    expect(cards()[0]).toMatchObject({ used: 2 * 23992 * KiB, total: 8522825728 + 1024 });
    expect(findings.notes[0]).toContain('tells what is used in debugfs only, to root');
  });

  it('under i915 are read by their own regions; what such a card keeps in the machine is not its memory', () => {
    const machine = new PaperMachine();
    machine.card({ pci: '0000:3d:00.0', driver: 'i915', id: '8086:56A6', node: 1 });
    machine.write('usr/share/misc/pci.ids', pciIds);
    machine.add({ pid: 50 });
    machine.opens(50, 4, '/dev/dri/renderD129', A310_CLIENT);
    const { findings, sample, cards, held } = machine.measured();
    sample(1);
    expect(findings.cards[0]).toMatchObject({ name: 'Intel Arc A310', memoryBytes: 0 });
    expect(held()).toEqual({ 50: 76 * KiB });
    expect(cards()[0]).toMatchObject({ used: 76 * KiB, total: none, free: none });
  });

  it('inside a processor hold the machine’s memory', () => {
    const machine = new PaperMachine();
    machine.card({ pci: '0000:00:02.0', driver: 'i915', id: '8086:4692', node: 0 });
    machine.write('usr/share/hwdata/pci.ids', pciIds);
    machine.write('proc/meminfo', 'MemTotal:       16318644 kB\nMemAvailable:    1 kB\n');
    machine.add({ pid: 50 });
    machine.opens(50, 4, '/dev/dri/card0', UHD_CLIENT);
    const { findings, sample, cards, held } = machine.measured();
    sample(1);
    expect(findings.cards[0]).toMatchObject({
      name: 'Intel UHD Graphics 730',
      memoryBytes: 16318644 * KiB,
    });
    expect(cards()[0]).toMatchObject({ used: 6044 * KiB, total: 16318644 * KiB });
    expect(held()).toEqual({ 50: 6044 * KiB });
    expect(findings.notes[0]).toContain('has its memory from the machine');
  });
});

describe('the backend of the kernel’s files', () => {
  it('is there where a card of AMD or Intel is, and tells each with its size', () => {
    expect(drm.locate(new PaperMachine())).toEqual({
      reason: expect.stringContaining('no AMD or Intel card in'),
    });
    const nvidia = new PaperMachine();
    nvidia.card({ pci: '0000:01:00.0', driver: 'nvidia', id: '10DE:2335', node: 0 });
    nvidia.card({ pci: '0000:02:00.0', driver: 'ast', id: '1A03:2000', node: 1 });
    expect('reason' in drm.locate(nvidia)).toBe(true);
    const machine = mi308();
    expect(drm.locate(machine)).toEqual({ path: machine.sys });
    expect(drm.probe(machine)).toMatchObject({
      ok: true,
      detail:
        'GPU 0 AMD Instinct MI308X at 0000:0a:00.0 (amdgpu): 192 GiB; GPU 1 AMD Instinct MI308X at 0000:a4:00.0 (amdgpu): 192 GiB',
    });
  });

  it('tells of each card what may be read, and which permission the rest would need', () => {
    const machine = mi308();
    machine.card(ARC_A750);
    machine.add({ pid: 50 });
    machine.add({ pid: 51 });
    mkdirSync(join(machine.proc, '50/fd'));
    // No folder of descriptors: as closed as another user's.
    machine.write('dev/dri/renderD128', '');
    machine.write('etc/group', 'video:x:44:\n');
    const parts = () => {
      const probed = drm.probe(machine);
      return (probed.ok && probed.parts) || [];
    };
    expect(parts()).toEqual([
      'GPU 0: used and total: told by amdgpu; who holds it: of 1 of 2 processes (those of other users, 1, need root or CAP_SYS_PTRACE); what computes: of all users, by /sys/class/kfd; there is no /dev/dri/renderD130 here for programs to open',
      'GPU 1: used and total: told by amdgpu; who holds it: of 1 of 2 processes (those of other users, 1, need root or CAP_SYS_PTRACE); what computes: of all users, by /sys/class/kfd; there is no /dev/dri/renderD129 here for programs to open',
      'GPU 2: tells what is used in debugfs only, to root: used is what the processes hold that may be looked into, a buffer that several share counted for each; who holds it: of 1 of 2 processes (those of other users, 1, need root or CAP_SYS_PTRACE); programs of this user may open /dev/dri/renderD128',
    ]);
    machine.link('proc/self/ns/pid', 'pid:[4026532900]');
    expect(parts()[0]).toContain('what computes: not by /sys/class/kfd');
    // The device's group is not this user's.
    machine.write('etc/group', `render:x:${process.getgid!()}:\n`);
    chmodSync(join(machine.sys, '../dev/dri/renderD128'), 0);
    if (process.getuid!() !== 0) {
      expect(parts()[2]).toContain('may not open /dev/dri/renderD128: needs group render');
    }
  });

  it('knows which cards a workload may see', () => {
    expect(drm.visible({})).toEqual({ visible: null, pciOrder: true });
    expect(drm.visible({ HIP_VISIBLE_DEVICES: '1' }).visible).toBe('1');
    expect(drm.visible({ ROCR_VISIBLE_DEVICES: '2,3', HIP_VISIBLE_DEVICES: '0' }).visible).toBe(
      '2,3',
    );
  });

  it('begins to count where it is told', () => {
    const machine = new PaperMachine();
    machine.card(RX_16G);
    const { findings, sample, cards } = machine.measured(1, { firstIndex: 2 });
    sample(1);
    expect(findings.cards[0]!.index).toBe(2);
    expect(cards()[0]).toMatchObject({ gpu: 2, used: 24 * MiB });
  });
});
