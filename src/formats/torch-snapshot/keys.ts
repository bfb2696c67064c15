/** Keys of a snapshot's dicts, which the unpickler knows by these numbers. */
export const KEY = {
  action: 0,
  addr: 1,
  size: 2,
  stream: 3,
  time_us: 4,
  frames: 5,
  user_metadata: 6,
  pool_id: 7,
  device_free: 8,
  filename: 9,
  name: 10,
  line: 11,
  state: 12,
  address: 13,
  requested_size: 14,
  history: 15,
  real_size: 16,
  total_size: 17,
  device: 18,
  segment_type: 19,
  segment_pool_id: 20,
  is_expandable: 21,
  blocks: 22,
  stage: 23,
  /** Added to blocks by our agent (python/highwater/_inside/owners.py). */
  highwater_owner: 24,
} as const;

export const KEYS = Object.keys(KEY);
