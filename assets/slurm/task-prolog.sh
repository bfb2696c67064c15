#!/bin/sh
# Slurm's TaskProlog: lets Highwater's agent into every Python task of every job, with nothing to change in anybody's script.
#
#   slurm.conf:  TaskProlog=/opt/highwater/assets/slurm/task-prolog.sh
#
# It runs as the job's user before each task; lines `export NAME=value` on its output become the task's environment. Each process that
# trains then writes one file into ~/highwater-jobs/JOB.STEP, which its user alone can look into; `highwater report` opens that folder.
#
# Off for everybody:  touch /etc/highwater/off
# Off for a user:     touch ~/.highwater-off        Off for a job:  export HIGHWATER=off  before sbatch
# A site's own settings: a TaskProlog of its own that exports HIGHWATER_JOBS (a folder that all nodes see and everybody may write to, mode
# 1777: each user gets one in it, mode 700) or HIGHWATER_HOME (where this package is), and then runs this file.

[ -e "${HIGHWATER_OFF_FILE:-/etc/highwater/off}" ] && exit 0
[ "${HIGHWATER:-}" = off ] && exit 0
[ -n "${HOME:-}" ] && [ -e "$HOME/.highwater-off" ] && exit 0

agent=${HIGHWATER_HOME:-$(dirname "$0")/../..}/python/highwater/_inject
agent=$(cd "$agent" 2>/dev/null && pwd -P) || exit 0
if [ -n "${HIGHWATER_JOBS:-}" ]; then jobs=$HIGHWATER_JOBS/$(id -un); else jobs=${HOME:+$HOME/highwater-jobs}; fi
[ -n "$jobs" ] || exit 0
[ -d "$jobs" ] || mkdir -m 700 "$jobs" 2>/dev/null || [ -d "$jobs" ] || exit 0

# The script itself is a task too: its own Python programs are apart from those of its steps.
case "${SLURM_STEP_ID:-}" in
  '' | 42949672??) step=batch ;;
  *) step=$SLURM_STEP_ID ;;
esac

case ":${PYTHONPATH:-}:" in
  *":$agent:"*) ;;
  *) echo "export PYTHONPATH=$agent${PYTHONPATH:+:$PYTHONPATH}" ;;
esac
echo "export HIGHWATER_OUT=$jobs/${SLURM_JOB_ID:-unknown}.$step"
exit 0
