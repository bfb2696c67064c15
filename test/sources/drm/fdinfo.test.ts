import { describe, expect, it } from 'vitest';
import { parseClient } from '../../../src/sources/gpu/drm/fdinfo.ts';
import { A310_CLIENT, CLIENT_30, CLIENT_217, XE_CLIENT } from './listings.ts';

const KiB = 1024;
const regions = (text: string) => Object.fromEntries(parseClient(text).regions);

describe('fdinfo of a graphics device', () => {
  it('is read as old and new kernels write it, units as written', () => {
    expect(parseClient(CLIENT_217)).toMatchObject({ pci: '0000:08:00.0', id: '217' });
    expect(regions(CLIENT_217)).toEqual({ vram: 2068 * KiB, gtt: 8192 * KiB, cpu: 0 });
    expect(parseClient(CLIENT_30)).toMatchObject({ pci: '0000:04:00.0', id: '30' });
    expect(regions(CLIENT_30)).toEqual({ vram: 544428 * KiB, gtt: 22 * KiB * KiB, cpu: 0 });
    expect(regions('drm-resident-vram0:\t4096\n')).toEqual({ vram0: 4096 });
    expect(regions('drm-resident-vram0:\t3 GiB\n')).toEqual({ vram0: 3 * KiB ** 3 });
  });

  it('is read of amdgpu before there was a standard (Linux 5.14 to 5.18)', () => {
    const old =
      'pdev:\t0000:0b:00.0\npasid:\t32770\nvram mem:\t3072 kB\ngtt mem:\t512 kB\ncpu mem:\t0 kB\n';
    expect(parseClient(old)).toMatchObject({ pci: '0000:0b:00.0', id: 'pasid 32770' });
    expect(regions(old)).toEqual({ vram: 3072 * KiB, gtt: 512 * KiB });
  });

  it('takes what is there before what was asked for', () => {
    const client = regions(A310_CLIENT);
    expect(client.local0).toBe(12 * KiB);
    expect(client.system0).toBe(520 * KiB);
    expect(regions('drm-total-vram0: 8 MiB\n')).toEqual({ vram0: 8 * KiB * KiB });
  });

  it('does not take counters of cycles for memory that any card has', () => {
    const { vram0, gtt } = regions(XE_CLIENT);
    expect([vram0, gtt]).toEqual([23992 * KiB, 192 * KiB]);
  });

  it.each([
    ['nothing', ''],
    ['another file', 'pos:\t0\nflags:\t02\nmnt_id:\t9\nino:\t7\n'],
    ['a unit that nobody writes', 'drm-resident-vram: 5 pages\n'],
    ['a number that is none', 'drm-resident-vram: 0x40 KiB\n'],
    ['a negative number', 'drm-resident-vram: -4 KiB\n'],
    ['a number beyond counting', `drm-resident-vram: ${'9'.repeat(400)} KiB\n`],
    ['a line that goes on', 'drm-resident-vram: 4 KiB and more\n'],
    ['a name that the program gave itself', 'drm-client-name:\tdrm-resident-vram:4096\n'],
    ['a line cut short', 'drm-resident-vram:'],
  ])('has no figures in %s', (_, text) => {
    expect(regions(text)).toEqual({});
  });
});
