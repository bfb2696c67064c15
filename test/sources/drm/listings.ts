import { fdinfo, PaperMachine } from './paper-machine.ts';

/**
 * Machines as their owners published them; a comment names the place. What was not shown there (a card's total, say)
 * is filled in, and is said to be.
 */

/** github.com/Ricks-Lab/gpu-utils/issues/118: RX 570, Linux 5.8. What is used is filled in. Its kernel has no fdinfo of clients. */
export function rx570(): PaperMachine {
  const machine = new PaperMachine();
  machine.card({
    pci: '0000:01:00.0',
    driver: 'amdgpu',
    id: '1002:67DF',
    node: 1,
    files: {
      mem_info_vram_total: '4294967296\n',
      mem_info_vram_used: '1207959552\n',
      mem_info_gtt_total: '4294967296\n',
      mem_info_gtt_used: '33554432\n',
      revision: '0xef\n',
    },
  });
  machine.write(
    'usr/share/libdrm/amdgpu.ids',
    '# List of AMDGPU IDs\n1.0.0\n67DF,\tC4,\tAMD Radeon RX 480 Graphics\n67DF,\tEF,\tAMD Radeon RX 570 Series\n',
  );
  machine.add({ pid: 2217 });
  machine.opens(2217, 9, '/dev/dri/renderD129', 'pos:\t0\nflags:\t02100002\nmnt_id:\t24\n');
  return machine;
}

/** github.com/Umio-Yasuno/amdgpu_top/issues/87: the client of pid 2217, as Linux before 6.13 has it. The card's figures are filled in. */
export const CLIENT_217 = fdinfo(
  'pasid:\t32784',
  'drm-driver:\tamdgpu',
  'drm-pdev:\t0000:08:00.0',
  'drm-client-id:\t217',
  'drm-memory-vram:\t2068 KiB',
  'drm-memory-gtt: \t8192 KiB',
  'drm-memory-cpu: \t0 KiB',
  'drm-engine-gfx:\t107322799 ns',
);

export const RX_16G = {
  pci: '0000:08:00.0',
  driver: 'amdgpu',
  id: '1002:73BF',
  node: 0,
  files: {
    mem_info_vram_total: '17163091968\n',
    mem_info_vram_used: '25165824\n',
    mem_info_gtt_total: '8341028864\n',
    mem_info_gtt_used: '16777216\n',
    // structure_size, format_revision, content_revision: a card's
    gpu_metrics: '\x78\x00\x01\x03',
    unique_id: 'a1b2c3d4e5f60718\n',
  },
} as const;

/** Tvrtko Ursulin to dri-devel, "drm/amdgpu: Use drm_print_memory_stats helper from fdinfo": what Linux 6.13 and newer write. */
export const CLIENT_30 = fdinfo(
  'drm-driver:\tamdgpu',
  'drm-client-id:\t30',
  'drm-pdev:\t0000:04:00.0',
  'pasid:\t32785',
  'drm-total-cpu:\t0',
  'drm-shared-cpu:\t0',
  'drm-active-cpu:\t0',
  'drm-resident-cpu:\t0',
  'drm-total-gtt:\t22 MiB',
  'drm-shared-gtt:\t0',
  'drm-active-gtt:\t10 MiB',
  'drm-resident-gtt:\t22 MiB',
  'drm-total-vram:\t544428 KiB',
  'drm-shared-vram:\t13584 KiB',
  'drm-active-vram:\t260356 KiB',
  'drm-resident-vram:\t544428 KiB',
  'drm-memory-vram:\t544428 KiB',
  'drm-memory-gtt: \t22528 KiB',
  'drm-memory-cpu: \t0 KiB',
  'amd-memory-visible-vram:\t544428 KiB',
  'amd-evicted-vram:\t0 KiB',
  'amd-evicted-visible-vram:\t0 KiB',
  'amd-requested-vram:\t544428 KiB',
  'amd-requested-visible-vram:\t90112 KiB',
  'amd-requested-gtt:\t22528 KiB',
  'drm-engine-gfx:\t39456116802 ns',
);

/**
 * An APU (Strix Halo) under Linux 7.1.8, with what a published check read of it: dmem.capacity 1073741824 (VRAM),
 * dmem.current 1006202880, GTT 120259084288 of which 1590456320 were used. The client is that of
 * github.com/Syllo/nvtop/pull/492 (Radeon 890M, Linux 6.18: a model of 24 GB), in which order its kernel wrote it.
 */
export function strixHalo(gttUsed = 1590456320): PaperMachine {
  const machine = new PaperMachine();
  machine.card({
    pci: '0000:c6:00.0',
    driver: 'amdgpu',
    id: '1002:1586',
    node: 0,
    files: {
      mem_info_vram_total: '1073741824\n',
      mem_info_vram_used: '1006202880\n',
      mem_info_gtt_total: '120259084288\n',
      mem_info_gtt_used: `${gttUsed}\n`,
      gpu_metrics: '\x08\x01\x03\x00',
      revision: '0xc1\n',
    },
  });
  machine.add({ pid: 7100 });
  machine.opens(
    7100,
    7,
    '/dev/dri/renderD128',
    fdinfo(
      'drm-driver:\tamdgpu',
      'drm-client-id:\t412',
      'drm-pdev:\t0000:c6:00.0',
      'drm-memory-cpu:\t0 KiB',
      'drm-memory-gtt:\t25258000 KiB',
      'drm-memory-vram:\t5348 KiB',
    ),
  );
  return machine;
}

/** github.com/ROCm/k8s-device-plugin, testdata/topology-parsing-mi308: nodes 2 and 3 are two partitions of the first card, 10 one of the second. */
export function mi308(): PaperMachine {
  const machine = new PaperMachine();
  const files = {
    product_name: 'AMD Instinct MI308X\n',
    gpu_metrics: '\x00\x00\x01\x07',
    mem_info_vram_total: '206158430208\n',
    mem_info_vram_used: '4294967296\n',
    mem_info_gtt_total: '1081864880128\n',
    mem_info_gtt_used: '0\n',
    current_compute_partition: 'CPX\n',
    current_memory_partition: 'NPS4\n',
  };
  // Against the order on the bus, which programs do not count by: that of the nodes.
  machine.card({ pci: '0000:a4:00.0', driver: 'amdgpu', id: '1002:74A2', node: 1, files });
  machine.card({ pci: '0000:0a:00.0', driver: 'amdgpu', id: '1002:74A2', node: 2, files });
  // A partition is a device of no bus, with device files of its own.
  machine.write('sys/devices/platform/amdgpu_xcp.29/uevent', 'MODALIAS=platform:amdgpu_xcp\n');
  machine.link('sys/class/drm/card3/device', `${machine.sys}/devices/platform/amdgpu_xcp.29`);
  const node = (at: number, id: number, cores: number, location: number, minor: number) => {
    const folder = `sys/class/kfd/kfd/topology/nodes/${at}`;
    machine.write(`${folder}/gpu_id`, `${id}\n`);
    const lines = [
      `cpu_cores_count ${cores}`,
      `simd_count ${cores ? 0 : 80}`,
      `vendor_id ${id ? 4098 : 0}`,
      `device_id ${id ? 29858 : 0}`,
      `location_id ${location}`,
      'domain 0',
      `drm_render_minor ${minor}`,
    ];
    machine.write(`${folder}/properties`, `${lines.join('\n')}\n`);
  };
  node(0, 0, 112, 0, 0);
  node(2, 24248, 0, 2560, 128);
  node(3, 57034, 0, 2561, 129);
  node(10, 16964, 0, 41984, 144);
  return machine;
}

/** The kernel's own example (drivers/gpu/drm/xe/xe_drm_client.c). */
export const XE_CLIENT = fdinfo(
  'drm-driver:\txe',
  'drm-client-id:\t3',
  'drm-pdev:\t0000:03:00.0',
  'drm-total-system:\t0',
  'drm-shared-system:\t0',
  'drm-active-system:\t0',
  'drm-resident-system:\t0',
  'drm-purgeable-system:\t0',
  'drm-total-gtt:\t192 KiB',
  'drm-shared-gtt:\t0',
  'drm-active-gtt:\t0',
  'drm-resident-gtt:\t192 KiB',
  'drm-total-vram0:\t23992 KiB',
  'drm-shared-vram0:\t16 MiB',
  'drm-active-vram0:\t0',
  'drm-resident-vram0:\t23992 KiB',
  'drm-total-stolen:\t0',
  'drm-shared-stolen:\t0',
  'drm-active-stolen:\t0',
  'drm-resident-stolen:\t0',
  'drm-cycles-rcs:\t28257900',
  'drm-total-cycles-rcs:\t7655183225',
  'drm-engine-capacity-vcs:\t2',
);

export const ARC_A750 = { pci: '0000:03:00.0', driver: 'xe', id: '8086:56A1', node: 0 } as const;

/** github.com/flightlessmango/MangoHud/issues/1936: /sys/kernel/debug/dri/0000:03:00.0/tile0/vram_mm of an Arc A750. */
export const A750_VRAM_MM = `  use_type: 1
  use_tt: 0
  size: 8522825728
  usage: 32079872
default_page_size: 4KiB
visible_avail: 8097MiB
visible_size: 8128MiB
chunk_size: 4KiB, total: 8128MiB, free: 8097MiB, clear_free: 0MiB
`;

/** An Arc A310 under i915 and Linux 6.8, as a published test keeps it. */
export const A310_CLIENT = fdinfo(
  'drm-driver:\ti915',
  'drm-client-id:\t2704',
  'drm-pdev:\t0000:3d:00.0',
  'drm-total-system0:\t8012 KiB',
  'drm-resident-system0:\t520 KiB',
  'drm-total-local0:\t35916 KiB',
  'drm-shared-local0:\t32 MiB',
  'drm-resident-local0:\t12 KiB',
  'drm-total-stolen-local0:\t64 KiB',
  'drm-resident-stolen-local0:\t64 KiB',
  'drm-engine-render:\t51781489656 ns',
);

/** proc_pid_fdinfo(5): graphics of a processor under i915. */
export const UHD_CLIENT = fdinfo(
  'drm-driver:\ti915',
  'drm-client-id:\t39',
  'drm-pdev:\t0000:00:02.0',
  'drm-total-system0:\t6044 KiB',
  'drm-shared-system0:\t0',
  'drm-active-system0:\t0',
  'drm-resident-system0:\t6044 KiB',
  'drm-purgeable-system0:\t1688 KiB',
  'drm-total-stolen-system0:\t0',
  'drm-shared-stolen-system0:\t0',
  'drm-active-stolen-system0:\t0',
  'drm-resident-stolen-system0:\t0',
  'drm-purgeable-stolen-system0:\t0',
  'drm-engine-render:\t346249 ns',
);
