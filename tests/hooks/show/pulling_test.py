from __future__ import annotations

import io

from litecode.hooks.show.pulling import MIB, Pulling
from litecode.hooks.show.terminal import Terminal


def test_elsewhere_than_on_a_terminal_each_tenth_is_a_line() -> None:
    out, err = io.StringIO(), io.StringIO()
    with Pulling("tiny", Terminal(out, err)) as progress:
        for done in range(1001):
            progress(done * MIB, 1000 * MIB)
    lines = err.getvalue().splitlines()
    assert lines == [f"litecode: tiny: {tenth * 100:,} of 1,000 MiB" for tenth in range(11)]
    assert out.getvalue() == ""


def test_what_is_there_already_is_not_announced_step_by_step() -> None:
    err = io.StringIO()
    with Pulling("tiny", Terminal(io.StringIO(), err)) as progress:
        progress(700, 1000)
        progress(799, 1000)
        progress(800, 1000)
    assert len(err.getvalue().splitlines()) == 2


def test_an_empty_file_is_no_division_by_zero() -> None:
    err = io.StringIO()
    with Pulling("tiny", Terminal(io.StringIO(), err)) as progress:
        progress(0, 0)
    assert err.getvalue() == "litecode: tiny: 0 of 0 MiB\n"


def test_on_a_terminal_there_is_a_bar_that_goes_away() -> None:
    err = io.StringIO()
    with Pulling("tiny", Terminal(io.StringIO(), err, live=True)) as progress:
        progress(1 * MIB, 4 * MIB)
        progress(4 * MIB, 4 * MIB)
    assert "litecode:" not in err.getvalue()


def test_without_a_byte_nothing_is_shown() -> None:
    err = io.StringIO()
    with Pulling("tiny", Terminal(io.StringIO(), err, live=True)):
        pass
    assert err.getvalue() == ""
