"""Makes docs/terminal.svg, the picture in README.md: ``python docs/terminal_svg.py > docs/terminal.svg``.

It shows what the commands really write to a terminal: they run in one, and rich draws what comes out.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
import termios
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

PLAN = """\
# Plan: Move the bookings to the new database
Goal: Switch on Sunday night with at most ten minutes of downtime
Constraints:
- No booking may be lost or entered twice
## Steps
1. [x] [reason] Compare both schemas → gaps | 3 columns, all free text
2. [>] [subtask] Copy and verify → copy_report
  > ← gaps
  2.1. [x] [act] Copy all tables → snapshot | 41 GB in 2 h
  2.2. [>] [act] Verify the checksums of each table → copy_report | Progress: 37/52
    > ← snapshot
3. [decide] Is the copy complete?
  > ← copy_report
  3.1. [act] Yes: switch the connection string → switch_log
  3.2. [act] No: postpone by a week and say so → notice
"""
ANSWER = """\
Goal: Switch on Sunday night
## Steps
1. [reson] Compare both schemas → gaps
2. [act] Copy all tables → snapshot
"""
FILES = {"bookings.md": PLAN, "answer.md": ANSWER}
COMMANDS = ["planspec show bookings.md", "planspec check answer.md"]
COLUMNS = 96
# As rich has it, but with no font that is loaded from elsewhere.
FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px; line-height: {line_height}px }}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; font-weight: bold }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def draw() -> str:
    """The picture."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        for command in COMMANDS:
            console.print(Text(f"$ {command}", style="bold"))
            console.print(Text.from_ansi(_run(command, folder)))
            console.print()
    svg = console.export_svg(title="planspec", code_format=FORMAT, font_aspect_ratio=0.6, unique_id="terminal")
    return "".join(f"{line.rstrip()}\n" for line in svg.splitlines())


def _run(command: str, folder: str) -> str:
    """What a command writes to a terminal."""
    mine, its = pty.openpty()
    termios.tcsetwinsize(its, (50, COLUMNS))
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM")}
    environment["TERM"] = "xterm-256color"
    call = [sys.executable, "-m", "planspec_lark", *command.split()[1:]]
    with subprocess.Popen(call, cwd=folder, env=environment, stdin=its, stdout=its, stderr=its):  # noqa: S603  (ours)
        os.close(its)
        written = b""
        try:
            while block := os.read(mine, 4096):
                written += block
        except OSError:
            # The end of a terminal, on Linux.
            pass
    os.close(mine)
    return written.decode().replace("\r\n", "\n").rstrip("\n")


if __name__ == "__main__":
    sys.stdout.write(draw())
