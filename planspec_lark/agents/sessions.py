"""Which plans have changed since an assistant's session began, whoever wrote them: an edit, a shell, a person.

What they were like is noted among the user's caches, one small file a session and folder, which goes after a month.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from planspec_lark.files import stamp_of

__all__ = ["begin", "changed_plans"]

_PLANS = "planspec"
# What assistants call the id of a session.
_IDS = ("session_id", "sessionId", "conversation_id")
_MOST_SECONDS = 30 * 24 * 3600


def begin(payload: Mapping[str, Any], folder: str) -> None:
    """Note what the plans of a folder are like, unless that is noted: after compaction a session begins again."""
    record = _record(payload, folder)
    if record is not None and not record.exists():
        _write(record, _stamps(folder))


def changed_plans(payload: Mapping[str, Any], folder: str) -> list[str]:
    """The plans that are new or have changed since the session began, or since this was asked last.

    Returns:
        Their files, from the folder on. None where it is not known when the session began.
    """
    record = _record(payload, folder)
    if record is None:
        return []
    now = _stamps(folder)
    try:
        before = json.loads(record.read_bytes())
    except (OSError, ValueError):
        before = now
    _write(record, now)
    return [name for name, stamp in now.items() if before.get(name) != stamp]


def _stamps(folder: str) -> dict[str, Any]:
    paths = sorted(Path(folder, _PLANS).glob("*.md"))
    # As JSON has it: a tuple would come back as a list.
    return {f"{_PLANS}/{path.name}": json.loads(json.dumps(stamp_of(path))) for path in paths}


def _record(payload: Mapping[str, Any], folder: str) -> Path | None:
    session = next((payload[key] for key in _IDS if isinstance(payload.get(key), str) and payload[key]), "")
    if not session:
        return None
    digest = blake2b("\0".join([session, os.path.realpath(folder)]).encode("utf-8", "surrogatepass"), digest_size=16)
    return _caches() / "planspec" / "sessions" / f"{digest.hexdigest()}.json"


def _caches() -> Path:
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    return Path(named) if os.path.isabs(named) else Path.home() / ".cache"


def _write(record: Path, stamps: Mapping[str, Any]) -> None:
    # Without a place to write to, changes are not known, and nothing else is lost.
    with suppress(OSError):
        record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in record.parent.glob("*.json"):
            if time.time() - old.stat().st_mtime > _MOST_SECONDS:
                old.unlink(missing_ok=True)
        record.write_text(json.dumps(stamps), encoding="utf-8")
