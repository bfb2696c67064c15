#!/usr/bin/env bash
# A script that gathers the lines of all its batches in an array, or has those of the last one in it.
# truth: {"leak": true, "args": ["gather"], "culprit": "main|bash|native", "slope": [100000, 122000], "per": "iteration"}
# truth: {"leak": false, "args": ["last"]}
steps=200
printf -v line '%0300d' 7
lines=()
for ((step = 1; step <= steps; step++)); do
  [ "$1" = last ] && lines=()
  for ((i = 0; i < 300; i++)); do
    lines+=("$step $i $line")
  done
  sleep 0.04
  printf 'step %d/%d loss 0.%04d\n' "$step" "$steps" $((9999 / step))
done
