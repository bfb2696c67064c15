#!/bin/sh
# small_shm.sh SIZE COMMAND...: runs it with a /dev/shm of that size, as containers have; needs root.
exec unshare -m sh -c 'size=$0; mount -t tmpfs -o size="$size" tmpfs /dev/shm && exec "$@"' "$@"
