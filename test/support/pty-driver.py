"""Runs a command on a real pseudo-terminal and plays a user: argv[1] is the plan as JSON.

Prints one line of JSON: everything the terminal was sent, how the command ended and what the
terminal's settings were along the way.
"""
import fcntl, json, os, pty, re, select, signal, struct, sys, termios, time

plan = json.loads(sys.argv[1])
steps = plan["steps"]
patience = time.monotonic() + plan.get("patience", 45)
master, slave = pty.openpty()


def resize(rows, columns):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def is_cooked():
    wanted = termios.ICANON | termios.ECHO | termios.ISIG
    return termios.tcgetattr(master)[3] & wanted == wanted


resize(*plan.get("size", [24, 80]))
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in plan.get("fds", [0, 1, 2]):
        os.dup2(slave, fd)
    os.closerange(3, 256)
    os.execvp(plan["argv"][0], plan["argv"])

output = bytearray()
seen = 0
cooked = []
status = None
resume_at = 0.0
hung_up = False
while time.monotonic() < patience:
    if steps and time.monotonic() >= resume_at:
        step = steps[0]
        if "wait" in step:
            found = re.search(step["wait"].encode(), bytes(output[seen:]))
            done = found is not None
            if found:
                seen += found.end()
        elif "file" in step:
            try:
                with open(step["file"], "rb") as file:
                    done = step["holds"].encode() in file.read()
            except FileNotFoundError:
                done = False
        else:
            done = True
            if "send" in step:
                os.write(master, step["send"].encode("latin1"))
            elif "resize" in step:
                resize(*step["resize"])
            elif "sleep" in step:
                resume_at = time.monotonic() + step["sleep"]
            elif "cooked" in step:
                cooked.append(is_cooked())
            elif "kill" in step:
                os.kill(pid, getattr(signal, step["kill"]))
            elif "hangup" in step:
                os.close(slave)
                os.close(master)
                hung_up = True
        if done:
            steps.pop(0)
            continue
    if hung_up:
        time.sleep(0.02)
    else:
        readable, _, _ = select.select([master], [], [], 0.02)
        if readable:
            output += os.read(master, 65536)
            continue
    if status is None:
        ended, got = os.waitpid(pid, os.WNOHANG)
        status = got if ended else None
    elif not steps:
        break
if status is None:
    os.kill(pid, signal.SIGKILL)
print(json.dumps({
    "output": output.decode("latin1"),
    "code": os.waitstatus_to_exitcode(status) if status is not None else None,
    "cooked": cooked + ([is_cooked()] if not hung_up else []),
    "stepsLeft": len(steps),
}))
