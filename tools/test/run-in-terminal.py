"""Runs a command on a pseudo-terminal: COLUMNS WAIT_FOR COMMAND…; hands its output on, and ends as it does.

As soon as WAIT_FOR has been written, Ctrl-C is typed; an empty one types nothing.
"""

import fcntl
import os
import pty
import struct
import sys
import termios

CTRL_C = b"\x03"

columns, wait_for, command = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execvp(command[0], command)

written = b""
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:  # the command has closed its end
        break
    if not chunk:
        break
    sys.stdout.buffer.write(chunk)
    written += chunk
    if wait_for and wait_for in written:
        os.write(terminal, CTRL_C)
        wait_for = b""
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
