-- The tables as `highwater push` makes them, to be made by hand.

CREATE TABLE IF NOT EXISTS highwater.series (
  run String CODEC(ZSTD(1)),
  started DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  series String CODEC(ZSTD(1)),
  time DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  bytes Nullable(Int64) CODEC(T64, ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (run, series, time);

CREATE TABLE IF NOT EXISTS highwater.peaks (
  run String CODEC(ZSTD(1)),
  started DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  series String CODEC(ZSTD(1)),
  peak_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  peak_time Nullable(DateTime64(6, 'UTC')) CODEC(DoubleDelta, ZSTD(1)),
  first_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  last_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  samples Nullable(Int64) CODEC(T64, ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (run, series);

CREATE TABLE IF NOT EXISTS highwater.cards (
  run String CODEC(ZSTD(1)),
  started DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  gpu Int64 CODEC(T64, ZSTD(1)),
  uuid String CODEC(ZSTD(1)),
  name String CODEC(ZSTD(1)),
  memory_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  used_by_run Nullable(Bool),
  peak_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  peak_time Nullable(DateTime64(6, 'UTC')) CODEC(DoubleDelta, ZSTD(1)),
  run_peak_bytes Nullable(Int64) CODEC(T64, ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (run, gpu);

CREATE TABLE IF NOT EXISTS highwater.ranks (
  run String CODEC(ZSTD(1)),
  started DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  rank Int64 CODEC(T64, ZSTD(1)),
  job String CODEC(ZSTD(1)),
  host String CODEC(ZSTD(1)),
  peak_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  peak_time Nullable(DateTime64(6, 'UTC')) CODEC(DoubleDelta, ZSTD(1)),
  torch_bytes Nullable(Int64) CODEC(T64, ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (run, rank);

CREATE TABLE IF NOT EXISTS highwater.labels (
  run String CODEC(ZSTD(1)),
  started DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  key String CODEC(ZSTD(1)),
  value String CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (run, key);

CREATE TABLE IF NOT EXISTS highwater.marks (
  run String CODEC(ZSTD(1)),
  started DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  number Int64 CODEC(T64, ZSTD(1)),
  time Nullable(DateTime64(6, 'UTC')) CODEC(DoubleDelta, ZSTD(1)),
  kind String CODEC(ZSTD(1)),
  name String CODEC(ZSTD(1)),
  pid Nullable(Int64) CODEC(T64, ZSTD(1)),
  rank Nullable(Int64) CODEC(T64, ZSTD(1)),
  epoch Nullable(Int64) CODEC(T64, ZSTD(1)),
  iteration Nullable(Int64) CODEC(T64, ZSTD(1)),
  value Nullable(Float64)
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (run, number);

CREATE TABLE IF NOT EXISTS highwater.layers (
  run String CODEC(ZSTD(1)),
  started DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  pid Int64 CODEC(T64, ZSTD(1)),
  name String CODEC(ZSTD(1)),
  kind String CODEC(ZSTD(1)),
  rank Nullable(Int64) CODEC(T64, ZSTD(1)),
  bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  time Nullable(DateTime64(6, 'UTC')) CODEC(DoubleDelta, ZSTD(1)),
  epoch Nullable(Int64) CODEC(T64, ZSTD(1)),
  iteration Nullable(Int64) CODEC(T64, ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (run, pid, name, kind);

CREATE TABLE IF NOT EXISTS highwater.peak_stacks (
  run String CODEC(ZSTD(1)),
  started DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  device String CODEC(ZSTD(1)),
  number Int64 CODEC(T64, ZSTD(1)),
  place String CODEC(ZSTD(1)),
  category String CODEC(ZSTD(1)),
  bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  allocations Nullable(Int64) CODEC(T64, ZSTD(1)),
  frames String CODEC(ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (run, device, number);

CREATE TABLE IF NOT EXISTS highwater.peak_categories (
  run String CODEC(ZSTD(1)),
  started DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  device String CODEC(ZSTD(1)),
  category String CODEC(ZSTD(1)),
  bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  allocations Nullable(Int64) CODEC(T64, ZSTD(1)),
  confidence Nullable(Float64)
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (run, device, category);

CREATE TABLE IF NOT EXISTS highwater.verdicts (
  run String CODEC(ZSTD(1)),
  started DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  cause String CODEC(ZSTD(1)),
  certainty String CODEC(ZSTD(1)),
  sentence String CODEC(ZSTD(1)),
  leak String CODEC(ZSTD(1)),
  leak_kind String CODEC(ZSTD(1)),
  leak_series String CODEC(ZSTD(1)),
  leak_name String CODEC(ZSTD(1)),
  leak_where String CODEC(ZSTD(1)),
  leak_bytes_per_hour Nullable(Float64),
  leak_bytes_per_iteration Nullable(Float64),
  at_most_bytes_per_hour Nullable(Float64),
  at_most_bytes_per_iteration Nullable(Float64),
  full_in_seconds Nullable(Float64),
  out_of_memory Nullable(Bool),
  oom_place String CODEC(ZSTD(1)),
  oom_asked_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  oom_free_bytes Nullable(Int64) CODEC(T64, ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (run);

CREATE TABLE IF NOT EXISTS highwater.runs (
  run String CODEC(ZSTD(1)),
  started DateTime64(6, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  name String CODEC(ZSTD(1)),
  command String CODEC(ZSTD(1)),
  subject String CODEC(ZSTD(1)),
  host String CODEC(ZSTD(1)),
  host_memory_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  cpus Nullable(Int64) CODEC(T64, ZSTD(1)),
  workload_started Nullable(DateTime64(6, 'UTC')) CODEC(DoubleDelta, ZSTD(1)),
  ended Nullable(DateTime64(6, 'UTC')) CODEC(DoubleDelta, ZSTD(1)),
  seconds Nullable(Float64),
  ending String CODEC(ZSTD(1)),
  exit_code Nullable(Int64) CODEC(T64, ZSTD(1)),
  exit_signal String CODEC(ZSTD(1)),
  oom_killed Nullable(Bool),
  job String CODEC(ZSTD(1)),
  rank Nullable(Int64) CODEC(T64, ZSTD(1)),
  world_size Nullable(Int64) CODEC(T64, ZSTD(1)),
  restart Nullable(Int64) CODEC(T64, ZSTD(1)),
  launcher String CODEC(ZSTD(1)),
  git_commit String CODEC(ZSTD(1)),
  peak_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  peak_series String CODEC(ZSTD(1)),
  peak_measure String CODEC(ZSTD(1)),
  host_peak_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  tree_peak_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  cgroup_peak_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  card_peak_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  card_memory_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  cards Nullable(Int64) CODEC(T64, ZSTD(1)),
  asked_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  asked_of String CODEC(ZSTD(1)),
  recorder_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  agent_bytes Nullable(Int64) CODEC(T64, ZSTD(1)),
  samples Nullable(Int64) CODEC(T64, ZSTD(1)),
  complete Nullable(Bool),
  frameworks String CODEC(ZSTD(1)),
  recorder String CODEC(ZSTD(1)),
  store_version Nullable(Int64) CODEC(T64, ZSTD(1))
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(started)
ORDER BY (run);
