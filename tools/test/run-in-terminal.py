"""Runs a command on a pseudo-terminal: COLUMNS WAIT_FOR COMMAND…; forwards its output, and exits with its status.

Types Ctrl-C as soon as WAIT_FOR appears; types nothing if it is empty.
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
    except OSError:  # the command has closed the terminal
        break
    if not chunk:
        break
    sys.stdout.buffer.write(chunk)
    written += chunk
    if wait_for and wait_for in written:
        os.write(terminal, CTRL_C)
        wait_for = b""
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
