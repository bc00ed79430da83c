"""What a progress bar says."""

from __future__ import annotations

import pytest

from planspec_lark.bulk import BulkProgress
from planspec_lark.cli import bulk
from planspec_lark.cli.bulk import progress_bar, speed_of


@pytest.mark.parametrize(
    ("done", "records", "kept", "elapsed", "expected"),
    [
        (0, 0, 0, 0.0, ("", "")),
        (0, 0, 0, 5.0, ("", "")),
        (100, 50, 0, 10.0, ("5 records/s", "0:01:30 left")),
        # What an earlier run did took none of this run's time.
        (600, 5000, 500, 2.0, ("2,500 records/s", "0:00:08 left")),
        (500, 0, 500, 2.0, ("", "")),
        # A shard that failed is done as well.
        (1, 0, 0, 10.0, ("", "2:46:30 left")),
        (1000, 10, 0, 10.0, ("1 records/s", "0:00:00 left")),
    ],
)
def test_speed(done: int, records: int, kept: int, elapsed: float, expected: tuple[str, str]) -> None:
    assert speed_of(BulkProgress(1, 10, done, 1000, records, kept), elapsed) == expected


def test_the_bar_shows_rate_and_time_left(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Two shards end at the same moment, after a long time of splitting."""
    monkeypatch.setenv("COLUMNS", "200")
    now = 1000.0
    monkeypatch.setattr(bulk, "monotonic", lambda: now)
    with progress_bar(shown=True) as show:
        assert show is not None
        now += 500
        show(BulkProgress(0, 10, 0, 1000, 0, 0))
        now += 20
        show(BulkProgress(1, 10, 100, 1000, 700, 0))
        show(BulkProgress(2, 10, 200, 1000, 1400, 0))
    shown = capsys.readouterr().err
    for part in ("2/10 shards", " 20% ", " 70 records/s ", " 0:01:20 left"):
        assert part in shown


def test_no_bar_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(shown=False) as show:
        assert show is None
    assert capsys.readouterr().err == ""
