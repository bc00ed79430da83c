"""What the documentation tells people to write into the settings of their clients."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from tests.cli.running import call
from tests.corpus import ROOT

PAGE = (ROOT / "docs" / "how-to/mcp.md").read_text(encoding="utf-8")


def settings() -> list[dict[str, Any]]:
    blocks = re.findall(r"^```text\n(\{.*?)^```", PAGE, flags=re.S | re.M)
    return [json.loads(block) for block in blocks]


def test_settings_start_a_server(tmp_path: Path) -> None:
    keys = []
    for value in settings():
        ((key, servers),) = value.items()
        keys.append(key)
        server = servers["planspec"]
        assert server["command"] == "planspec"
        arguments = [str(tmp_path) if "/" in one or "$" in one else one for one in server["args"]]
        done = call(*arguments)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert keys == ["mcpServers", "mcpServers", "servers"]
    (added,) = re.findall(r"^claude mcp add planspec -- (.*)$", PAGE, flags=re.M)
    assert shlex.split(added) == ["planspec", "mcp"]


def test_the_versions_of_the_protocol_are_those_of_the_sdk() -> None:
    assert f"versions from {HANDSHAKE_PROTOCOL_VERSIONS[0]} to {LATEST_MODERN_VERSION}." in " ".join(PAGE.split())
