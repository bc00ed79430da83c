"""Drawings in Graphviz's language as pictures, made by its program `dot`."""

from __future__ import annotations

import re
import shutil
import subprocess

from planspec_lark.syntax.source import one_line

__all__ = ["GraphvizError", "dot_to_svg"]

# What XML does not allow, and the grammar of plans does.
_NO_XML = re.compile("[\ufffe\uffff]")
_SHOWN = 200


class GraphvizError(RuntimeError):
    """A picture that was not made; the text says why, and is safe to show."""


def dot_to_svg(drawing: str, *, timeout: float = 60.0) -> str:
    """A drawing as SVG.

    Args:
        drawing: what :func:`planspec_lark.planspec.draw_plan` gives for ``dot``.
        timeout: how many seconds that may take. Large drawings take long.

    Raises:
        GraphvizError: there is no `dot`, it does not end in time, or it fails.
    """
    program = shutil.which("dot")
    if program is None:
        raise GraphvizError("SVG is made by Graphviz, and its program `dot` is not installed here")
    try:
        done = subprocess.run(  # noqa: S603  (no shell, no arguments of strangers)
            [program, "-Tsvg"],
            input=_NO_XML.sub("\ufffd", drawing).encode("utf-8", "replace"),
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GraphvizError(f"Graphviz has not ended after {timeout:g} seconds") from None
    except OSError as error:
        raise GraphvizError(f"Graphviz cannot be run: {error.strerror}") from None
    if done.returncode != 0:
        said = one_line(done.stderr.decode("utf-8", "replace"))[:_SHOWN]
        raise GraphvizError(f"Graphviz has failed with {done.returncode}: {said}")
    return done.stdout.decode("utf-8")
