"""YAML text becomes nodes with places, or an error that names the place and the remedy."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from litecode.config import document
from litecode.config.document import ListNode, MapNode, Node, Scalar, Source, compose, plain
from litecode.core.errors import ConfigError

BACKSLASH = "in double quotes a backslash begins an escape; put regexes in single quotes"


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", None),
        ("# only a comment\n", None),
        ("---\n", None),
        ("a: 1\n", {"a": 1}),
        ("\ufeffa: b\r\nc: d\r\n", {"a": "b", "c": "d"}),
        ("off", "off"),
        ("[yes, no, on, Off, y]", ["yes", "no", "on", "Off", "y"]),
        ("[true, False, null, ~, '']", [True, False, None, None, ""]),
        ("['true', \"1\", '~', '']", ["true", "1", "~", ""]),
        ("[1, -2, +3, 010, 0x1f, 0o17]", [1, -2, 3, 10, 31, 15]),
        ("[1.5, .5, 1e3, -0.0, 1_000, 12:30, .inf, .nan]", [1.5, 0.5, 1000.0, -0.0, "1_000", "12:30", ".inf", ".nan"]),
        ("[2024-01-02, 1.2.3, 0x, =, <<]", ["2024-01-02", "1.2.3", "0x", "=", "<<"]),
        ("9" * 5000, "9" * 5000),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ("a: &x [1, 2]\nb: *x\nc: [*x, *x]\n", {"a": [1, 2], "b": [1, 2], "c": [[1, 2], [1, 2]]}),
        ("1: a\ntrue: b\n", {"1": "a", "true": "b"}),
    ],
)
def test_plain_data(text: str, data: object) -> None:
    node = compose(text.encode(), "f")
    assert (None if node is None else plain(node)) == data


def test_nodes_know_their_places() -> None:
    node = compose("é: [x, 'it''s']\nlong:\n- |\n  text\n- {k: \"v\"}\n".encode(), "f")
    assert node == MapNode(
        (
            (
                Scalar("é", "é", 1, 1, 0),
                ListNode((Scalar("x", "x", 1, 5, 0), Scalar("it's", "it's", 1, 8, -1)), 1, 4),
            ),
            (
                Scalar("long", "long", 2, 1, 0),
                ListNode(
                    (
                        Scalar("text\n", "text\n", 3, 3, -1),
                        MapNode(((Scalar("k", "k", 5, 4, 0), Scalar("v", "v", 5, 7, 1)),), 5, 3),
                    ),
                    3,
                    1,
                ),
            ),
        ),
        1,
        1,
    )


@pytest.mark.parametrize(
    ("scalar", "offset", "where"),
    [
        ("abc", None, "f:1:1"),
        ("abc", 0, "f:1:1"),
        ("'abc'", None, "f:1:1"),
        ("'abc'", 0, "f:1:2"),
        ("abc", 2, "f:1:3"),
        ("'abc'", 2, "f:1:4"),
        ('"abc"', 2, "f:1:4"),
        ("'it''s'", 3, "f:1:1"),
        ('"a\\tb"', 2, "f:1:1"),
        ("|\n  abc", 2, "f:1:1"),
        ("abc\n  def", 5, "f:1:1"),
        ("&x abc", 2, "f:1:1"),
    ],
)
def test_a_place_inside_of_text_only_where_the_text_stands_as_it_is(
    scalar: str, offset: int | None, where: str
) -> None:
    node = compose(scalar.encode(), "f")
    assert node is not None
    assert Source("f").where(node, offset) == where


@pytest.mark.parametrize(
    ("data", "where", "message", "hint"),
    [
        (b"rules:\n\t- id: x\n", "f:2:1", "a tab in the indentation", "indent with spaces, as YAML wants it"),
        (
            b"rules:\n- id: x\n \tmessage: y\n",
            "f:3:2",
            "a tab in the indentation",
            "indent with spaces, as YAML wants it",
        ),
        (b"a: 1\nb: 2\na: 3\n", "f:3:1", "`a` is given twice", "remove one of the two; the first is in line 1"),
        (b"[{a: 1, 'a': 2}]", "f:1:9", "`a` is given twice", "remove one of the two; the first is in line 1"),
        (b"[a]: 1", "f:1:1", "a key must be text, not a list", "write `key: value`"),
        (b"? {a: b}\n: 1", "f:1:3", "a key must be text, not a mapping", "write `key: value`"),
        (b"~: 1", "f:1:1", "a key must be text, not nothing", "write `key: value`"),
        (b"a: !secret x", "f:1:4", "YAML tags such as !secret are not used here", "remove the tag"),
        (
            b"a: !!python/name:os.system x",
            "f:1:4",
            "YAML tags such as tag:yaml.org,2002:python/name:os.system are not used here",
            "remove the tag",
        ),
        (b"a: !!set {x, y}", "f:1:4", "YAML tags such as tag:yaml.org,2002:set are not used here", "remove the tag"),
        (b"a: *x", "f:1:4", "undefined alias *x", "define the anchor with &name before it"),
        (b"a: &x [*x]", "f:1:8", "undefined alias *x", "define the anchor with &name before it"),
        (b"a: 1\n---\nb: 2\n", "f:2:1", "a second YAML document", "remove the line --- and what follows, or merge it"),
        (
            b"a: b: c",
            "f:1:5",
            "not valid YAML: mapping values are not allowed in this context",
            "put text that has ': ' in it in quotes, and check the indentation",
        ),
        (
            b"a: 'x\nb: y\n",
            "f:1:4",
            "not valid YAML: found unexpected end of stream",
            "close the quote that is opened here",
        ),
        (
            b"a: [1\n",
            "f:2:1",
            "not valid YAML: did not find expected ',' or ']'",
            "check the indentation and the brackets",
        ),
        (
            b"a: @x",
            "f:1:4",
            "not valid YAML: found character that cannot start any token",
            "put the text in single quotes",
        ),
        (b'a: "\\d+"', "f:1:5", "not valid YAML: found unknown escape character", BACKSLASH),
        (b"a: \xff\n", "f:1:4", "not UTF-8 text", "save the file as UTF-8"),
        ("ü: 1\nß: ".encode() + b"\xe9", "f:2:4", "not UTF-8 text", "save the file as UTF-8"),
        ("a: 1".encode("utf-16"), "f:1:1", "not UTF-8 text", "save the file as UTF-8"),
        (b"a: b\nc: \x07", "f:2:4", "control character U+0007", "remove it"),
        (b"a: \xef\xbf\xbf", "f:1:4", "control character U+FFFF", "remove it"),
        (b"[" * 65, "f:1:65", "nested deeper than 64 levels", "write it flatter"),
    ],
)
def test_errors(data: bytes, where: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compose(data, "f")
    assert (caught.value.where, caught.value.message, caught.value.hint) == (where, f"{where}: {message}", hint)


def test_a_large_file_is_refused_before_it_is_read() -> None:
    with pytest.raises(ConfigError) as caught:
        compose(b"#" * (document.MAX_BYTES + 1), "f")
    assert caught.value.message == "f: the file has 1,048,577 bytes, a rules file may have 1,048,576"
    assert compose(b"#" * document.MAX_BYTES, "f") is None


def test_aliases_are_counted_as_if_they_were_written_out() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
    with pytest.raises(ConfigError) as caught:
        compose("\n".join(rows).encode(), "f")
    assert caught.value.message == "f:6:10: more than 100,000 YAML nodes, aliases written out"
    assert caught.value.hint == "make the file smaller, or use fewer aliases"


def test_many_nodes_are_refused() -> None:
    assert compose(b"[" + b"x," * (document.MAX_NODES - 1) + b"]", "f") is not None
    with pytest.raises(ConfigError, match="more than 100,000 YAML nodes"):
        compose(b"[" + b"x," * document.MAX_NODES + b"]", "f")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rules:\n\t- id: x\n", "f:2:1: a tab in the indentation"),
        ("a: b: c", "f:1:5: not valid YAML: mapping values are not allowed here"),
        ("a: @x", "f:1:4: not valid YAML: found character '@' that cannot start any token"),
        ("a: 'x", "f:1:4: not valid YAML: found unexpected end of stream"),
    ],
)
def test_the_loader_without_libyaml_serves_as_well(text: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "_LOADER", yaml.SafeLoader)
    node = compose("é: [x, 'y']\n".encode(), "f")
    assert node == MapNode(
        ((Scalar("é", "é", 1, 1, 0), ListNode((Scalar("x", "x", 1, 5, 0), Scalar("y", "y", 1, 8, 1)), 1, 4)),), 1, 1
    )
    with pytest.raises(ConfigError) as caught:
        compose(text.encode(), "f")
    assert caught.value.message == message


def test_an_error_without_a_place_names_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> list[yaml.Event]:
        raise yaml.YAMLError("something else")

    monkeypatch.setattr(yaml, "parse", fail)
    with pytest.raises(ConfigError) as caught:
        compose(b"a: 1", "f")
    assert (caught.value.where, caught.value.message) == ("f", "f: not valid YAML: something else")


@given(st.binary(max_size=60) | st.text("ab:-[]{}&*!|>'\"#%@,? \t\n\\~", max_size=60).map(str.encode))
def test_any_bytes_give_a_node_or_a_config_error(data: bytes) -> None:
    outcome = _node_or_error(data)
    if isinstance(outcome, ConfigError):
        assert outcome.where.startswith("f:")
        assert outcome.message.startswith(outcome.where)
        assert outcome.hint
    else:
        assert outcome is None or (outcome.line >= 1 and outcome.column >= 1)


def _node_or_error(data: bytes) -> Node | ConfigError | None:
    try:
        return compose(data, "f")
    except ConfigError as error:
        return error
