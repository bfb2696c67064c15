#!/bin/sh
# in_group.sh LIMIT COMMAND...: runs it in a control group of its own with so much memory; needs root.
limit=$1
shift
name="gauntlet-$$"
if [ -d /sys/fs/cgroup/memory ]; then
  group=/sys/fs/cgroup/memory/$name && mkdir "$group" && echo "$limit" > "$group/memory.limit_in_bytes"
else
  group=/sys/fs/cgroup/$name && mkdir "$group" && echo "$limit" > "$group/memory.max" && echo 0 > "$group/memory.swap.max"
fi || exit 125
sh -c 'echo $$ > "$0/cgroup.procs"; exec "$@"' "$group" "$@"
code=$?
rmdir "$group"
exit $code
