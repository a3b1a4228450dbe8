"""Blobs as text: what is decoded comes back byte for byte, and what would not is refused."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from litecode.core.patching.document import LARGEST, LONGEST_LINE, Cut, Document, Unreadable

BOM = b"\xef\xbb\xbf"

# Small alphabet, so that line ends, marks and characters of every UTF-8 length meet often.
PIECES = st.lists(st.sampled_from([b"a", b" ", b"\n", b"\r\n", b"\r", "é".encode(), "€".encode(), "😀".encode(), BOM]))
TEXTS = st.text(alphabet="ab \n\té€😀\ufeff", max_size=40)


@pytest.mark.parametrize(
    ("data", "text", "eol", "bom"),
    [
        (b"", "", "\n", False),
        (b"\n", "\n", "\n", False),
        (b"a\nb\n", "a\nb\n", "\n", False),
        (b"no end", "no end", "\n", False),
        (b"a\r\nb\r\n", "a\nb\n", "\r\n", False),
        (b"a\r\nb", "a\nb", "\r\n", False),
        (BOM + b"a\n", "a\n", "\n", True),
        (BOM + b"a\r\n", "a\n", "\r\n", True),
        (BOM, "", "\n", True),
        (BOM + BOM + b"a", "\ufeffa", "\n", True),
        ("naïve 😀\n".encode(), "naïve 😀\n", "\n", False),
        (b"\x0c\x0b\x1c\n", "\x0c\x0b\x1c\n", "\n", False),  # Python calls these line ends, git and compilers do not
        ("a\u2028b\x85c\n".encode(), "a\u2028b\x85c\n", "\n", False),
    ],
)
def test_decode(data: bytes, text: str, eol: str, bom: bool) -> None:
    document = Document.decode(data)
    assert (document.text, document.eol, document.bom) == (text, eol, bom)
    assert document.encode(document.text) == data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a\0b", "binary"),
        (b"\xff\xfea\0", "binary"),
        (b"caf\xe9\n", "not UTF-8 (byte 3)"),
        (b"\xed\xa0\x80", "not UTF-8 (byte 0)"),  # a surrogate half
        (BOM + b"a\xff", "not UTF-8 (byte 4)"),
        (b"a\r\nb\n", "mixed line ends"),
        (b"a\nb\r\n", "mixed line ends"),
        (b"a\rb\r\n", "mixed line ends"),
        (b"a\r\r\nb\r\n", "mixed line ends"),
        (b"a\rb", "mixed line ends"),
        (b"a\nb\r", "mixed line ends"),
        (b"\r", "mixed line ends"),
        (b"x" * (LONGEST_LINE + 1), f"a line longer than {LONGEST_LINE} characters"),
        (b"x\n" * (LARGEST // 2) + b"x", "larger than 1024 KiB"),
    ],
)
def test_what_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as err:
        Document.decode(data)
    assert str(err.value) == reason


def test_limits_are_inclusive() -> None:
    assert Document.decode(b"x" * LONGEST_LINE).text == "x" * LONGEST_LINE
    assert len(Document.decode(b"x\n" * (LARGEST // 2)).text) == LARGEST


@settings(deadline=None, max_examples=300)
@given(PIECES.map(b"".join) | st.binary(max_size=30))
@example(b"\r\n\r\n")
def test_decoding_loses_nothing(data: bytes) -> None:
    try:
        document = Document.decode(data)
    except Unreadable:
        return
    assert document.encode(document.text) == data
    assert "\r" not in document.text


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.data())
def test_the_span_of_a_cut_has_its_bytes(text: str, eol: str, bom: bool, data: st.DataObject) -> None:
    document = Document(text, eol, bom)
    blob = document.encode(text)
    start = data.draw(st.integers(0, len(text)))
    cut = Cut(start, data.draw(st.integers(start, len(text))))
    span = document.span(cut)
    assert blob[span.start : span.end].decode() == cut.of(text).replace("\n", eol)
    assert blob[: span.start].decode() == ("\ufeff" if bom else "") + text[:start].replace("\n", eol)


@settings(deadline=None, max_examples=200)
@given(TEXTS, st.data())
def test_positions_count_lines_and_characters(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    before = text[:offset].split("\n")
    assert Document(text).position(offset) == (len(before), len(before[-1]) + 1)


@settings(deadline=None, max_examples=200)
@given(TEXTS, st.data())
def test_lines_of_a_cut(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    document = Document(text)
    expected = sorted({text.count("\n", 0, at) + 1 for at in range(start, max(start + 1, end))})
    assert list(document.lines_of(Cut(start, end))) == expected


@pytest.mark.parametrize(
    ("cut", "grown"),
    [
        (Cut(0, 0), "one"),
        (Cut(1, 2), "one"),
        (Cut(2, 3), "one"),
        (Cut(0, 4), "one"),  # the line end belongs to its line
        (Cut(2, 6), "one\ntwo"),
        (Cut(4, 7), "two"),
        (Cut(8, 8), ""),
        (Cut(9, 10), "last"),
        (Cut(9, 13), "last"),
        (Cut(13, 13), "last"),
    ],
)
def test_whole_lines(cut: Cut, grown: str) -> None:
    document = Document("one\ntwo\n\nlast")
    assert document.whole_lines(cut).of(document.text) == grown


def test_with_text_keeps_the_style() -> None:
    document = Document.decode(BOM + b"a\r\nb\r\n").with_text("x\ny")
    assert document.encode(document.text) == BOM + b"x\r\ny"


@pytest.mark.parametrize(
    ("one", "other", "covers", "touches"),
    [
        (Cut(2, 5), Cut(2, 5), True, True),
        (Cut(2, 5), Cut(3, 4), True, True),
        (Cut(2, 5), Cut(3, 6), False, True),
        (Cut(2, 5), Cut(5, 6), False, False),
        (Cut(2, 5), Cut(0, 2), False, False),
        (Cut(2, 5), Cut(3, 3), True, True),
        (Cut(2, 5), Cut(2, 2), True, True),
        (Cut(2, 5), Cut(6, 6), False, False),
        (Cut(3, 3), Cut(3, 3), True, True),
    ],
)
def test_covers_and_touches(one: Cut, other: Cut, covers: bool, touches: bool) -> None:
    assert (one.covers(other), one.touches(other), other.touches(one)) == (covers, touches, touches)
