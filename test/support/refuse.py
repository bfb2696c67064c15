"""refuse.py EPERM|ENOSYS CALL,… COMMAND …: runs a command to which the kernel (x86-64) refuses these system calls, by seccomp."""

import ctypes
import errno
import os
import struct
import sys

NUMBERS = {
    "socket": 41, "bind": 49, "listen": 50, "clone": 56, "getdents64": 217, "fsync": 74, "fdatasync": 75,
    "ptrace": 101, "setpriority": 141, "sched_setscheduler": 144, "unshare": 272, "inotify_init1": 294,
    "perf_event_open": 298, "prlimit64": 302, "setns": 308, "process_vm_readv": 310, "sched_setattr": 314,
    "sched_getattr": 315, "memfd_create": 319, "membarrier": 324, "copy_file_range": 326,
    "statx": 332, "rseq": 334, "io_uring_setup": 425, "io_uring_enter": 426, "pidfd_open": 434, "clone3": 435,
    "close_range": 436, "openat2": 437, "faccessat2": 439, "process_madvise": 440, "epoll_pwait2": 441,
}  # fmt: skip
error, calls, command = getattr(errno, sys.argv[1]), sys.argv[2].split(","), sys.argv[3:]

LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
code = [struct.pack("HBBI", LOAD, 0, 0, 0)]  # the call's number
for call in calls:
    code.append(struct.pack("HBBI", JUMP_IF_EQUAL, 0, 1, NUMBERS[call]))
    code.append(struct.pack("HBBI", RETURN, 0, 0, FAIL | error))
code.append(struct.pack("HBBI", RETURN, 0, 0, ALLOW))
instructions = ctypes.create_string_buffer(b"".join(code))
program = struct.pack("HxxxxxxQ", len(code), ctypes.addressof(instructions))
libc = ctypes.CDLL(None, use_errno=True)
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, 2, program, 0, 0):
    sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
os.execvp(command[0], command)
