"""Names a process as `ps` shows it, as engines do to tell their processes apart: MINI::EngineCore."""

import ctypes

PR_SET_NAME = 15
ARGUMENTS = slice(47, 49)  # where a process's arguments begin and end: fields 48 and 49 of /proc/self/stat


def set_title(title):
    """Over the arguments in the process's own memory, which is where the kernel reads them; Linux only."""
    try:
        with open("/proc/self/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        # What was split off are the first two.
        begin, end = (int(field) for field in fields[ARGUMENTS.start - 2 : ARGUMENTS.stop - 2])
        ctypes.CDLL(None).prctl(PR_SET_NAME, title.encode()[:15], 0, 0, 0)
    except (OSError, ValueError, AttributeError):
        return
    if begin < end:
        room = end - begin
        ctypes.memmove(begin, title.encode()[: room - 1].ljust(room, b"\0"), room)
