"""Runs a command on a pseudo-terminal, and types Ctrl-C: DELAY_MS SECONDS_MAX COMMAND…; an empty delay types nothing.

Its output goes to stdout. The last line of stderr is a JSON object: "typedMs", null if the command ended first, "endedMs", and
"status", negative for a signal, null if the command was killed after SECONDS_MAX.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

CTRL_C = b"\x03"

# The child inherits it: Python would swallow a Ctrl-C that comes before the command replaces it.
signal.signal(signal.SIGINT, signal.SIG_DFL)
delay_ms, seconds_max, command = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    os.execvp(command[0], command)

start = time.monotonic()
type_at = start + float(delay_ms) / 1000 if delay_ms else None
typed = None
timed_out = False


def relay(wait):
    """Forwards output, if any arrives within that time."""
    if not select.select([terminal], [], [], wait)[0]:
        return False
    try:
        chunk = os.read(terminal, 65536)
    except OSError:  # every process has closed the terminal
        time.sleep(wait)
        return False
    sys.stdout.buffer.write(chunk)
    return len(chunk) > 0


while True:
    ended, status = os.waitpid(pid, os.WNOHANG)
    if ended:
        break
    now = time.monotonic()
    if type_at is not None and typed is None and now >= type_at:
        os.write(terminal, CTRL_C)
        typed = now
    if now > start + seconds_max and not timed_out:
        os.kill(pid, signal.SIGKILL)
        timed_out = True
    until = type_at if type_at is not None and typed is None else now + 0.02
    relay(min(0.02, max(0.0, until - now)))
end = time.monotonic()
# Remaining processes may hold the terminal: stop reading anyway.
while relay(0.05):
    pass
sys.stdout.flush()
print(
    json.dumps(
        {
            "typedMs": None if typed is None else (typed - start) * 1000,
            "endedMs": (end - start) * 1000,
            "status": None if timed_out else os.waitstatus_to_exitcode(status),
        }
    ),
    file=sys.stderr,
)
