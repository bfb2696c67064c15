import { BLOCK_STATE } from '../../../model/allocations/actions.ts';
import type { DeviceTrace } from '../../../model/allocations/trace.ts';
import type { Recording } from '../../../model/recording.ts';
import { LEAST, SMALL } from '../replay/rounding.ts';

/** Packages and settings that only other devices' builds of torch have. */
const SIGNS: readonly (readonly [string, RegExp])[] = [
  ['NPU', /[\\/]torch_npu[\\/]|^PYTORCH_NPU_ALLOC_CONF$/],
  ['XPU', /[\\/]torch[\\/]xpu[\\/]|^PYTORCH_XPU_ALLOC_CONF$/],
];

/** So many blocks must agree before a rule is seen in them. */
const LEAST_BLOCKS = 8;

/** The kind of device, where the snapshot shows that it is none of CUDA's; null: nothing shows it. */
export function otherDevice(recording: Recording, trace: DeviceTrace): string | null {
  const settings = Object.keys(recording.run.allocator?.settings ?? {});
  const files = new Set(recording.table('frames').u32('file'));
  const names = [...settings, ...Array.from(files, (file) => recording.text(file))];
  const found = SIGNS.find(([, sign]) => names.some((name) => sign.test(name)));
  return found?.[0] ?? (isPadded(trace) ? 'NPU' : null);
}

/** An NPU's allocator adds room behind each request: of CUDA's, one of whole 512 bytes takes no more than that. */
function isPadded({ blocks }: DeviceTrace): boolean {
  let whole = 0;
  for (let block = 0; block < blocks.count; block++) {
    const requested = blocks.requested[block]!;
    if (blocks.state[block] === BLOCK_STATE.inactive) continue;
    if (requested === 0 || requested > SMALL / 2 || requested % LEAST !== 0) continue;
    if (blocks.size[block]! < requested + LEAST) return false;
    whole++;
  }
  return whole >= LEAST_BLOCKS;
}
