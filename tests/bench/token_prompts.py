"""Random prompts of every kind that counting tokens has to get right: code in ten languages, digits, scripts, runs."""

from __future__ import annotations

import random
import string
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

# Lines as people write them. `@w` is a word, `@N` a name in capitals, `@d` a number, `@s` some words.
LANGUAGES = {
    "python": [
        'def @w_@w(self, @w: int = @d, *, @w="@s") -> dict[str, list[@w]]:',
        '    """@s."""',
        "    for @w in range(@d):",
        "        @w[@w] = @w.@w(@w)[:@d]  # @s",
        "    return {@w: @w for @w, @w in self._@w.items() if @w > @d}",
        "    except (@wError, ValueError) as @w:",
        '        raise @wError(f"@s {@w!r}") from @w',
        "import @w.@w as @w",
    ],
    "javascript": [
        "export const @w = async ({ @w, @w = @d }) => {",
        "  const @w = await fetch(`/api/@w/${@w}`);",
        "  // @s",
        '  if (!@w.ok) throw new Error("@s");',
        "  return @w?.@w.map((@w) => ({ ...@w, @w: @d }));",
        "};",
    ],
    "typescript": [
        "export interface @w<T extends @w> { @w: T; @w?: Record<string, number> }",
        "  private readonly @w = new Map<string, @w>();",
        "  get @w(): @w | undefined { return this.#@w; }",
        "type @w = Omit<@w, '@w'> & { @w: 'a' | 'b' };",
        "/** @s */",
    ],
    "go": [
        "func (@w *@w) @w(ctx context.Context, @w int64) (*@w, error) {",
        "\tif err := @w.@w(ctx, @w); err != nil {",
        '\t\treturn nil, fmt.Errorf("@s: %w", err)',
        "\t}",
        "\t@w := make(map[string]*@w, @d)",
        "\tdefer @w.Close() // @s",
    ],
    "rust": [
        "pub fn @w<'a>(&'a mut self, @w: &[u8]) -> Result<Vec<@w>, @w> {",
        "    let @w = self.@w.iter().filter(|@w| @w.@w > @d).collect::<Vec<_>>();",
        '    println!("@s {:?}", @w);',
        "    match @w { Some(@w) => Ok(@w), None => Err(@w::@w(@d)) }",
        "#[derive(Debug, Clone)]",
        "/// @s",
    ],
    "java": [
        "    public static List<@w> @w(final Map<String, @w> @w) throws @wException {",
        "        // @s",
        "    @Override",
        '        log.info("@s {}", @w.get@w());',
        "        return @w.stream().map(@w::@w).collect(Collectors.toList());",
        "    private int @w = @d;",
    ],
    "c": [
        "static int @w_@w(struct @w *@w, size_t @w)",
        "{",
        "\tif (!@w || @w->@w >= @N_@N)",
        "\t\treturn -EINVAL; /* @s */",
        "\tmemcpy(@w->@w, &@w[@d], sizeof(*@w) * @d);",
        "#define @N_@N 0x@dULL",
        '\tprintf("%s: @s\\n", @w);',
    ],
    "css": [
        ".@w-@w > .@w:hover::before {",
        "  margin: @dpx auto 0 -@dem; /* @s */",
        "  background: rgba(@d, @d, @d, 0.@d);",
        "}",
        "@media (min-width: @dpx) { #@w { display: grid } }",
        "  --@w-@w: #@d;",
        "  transition: transform 0.@ds ease-in-out;",
    ],
    "json": [
        '  "@w": { "@w": @d, "@w": ["@s", null, true, @d.@d] },',
        '  "@w-@w": "@w@@w.example",',
        '    {"id": "@d-@d", "@w": false},',
        '  "version": "^@d.@d.@d", "@w": "https://@w.example/@w/@d"',
    ],
    "markdown": [
        "## @s",
        "- **@w**: @s (`@w_@w`), see [@w](docs/@w.md#@w).",
        "| @w | @d | @s |",
        "```sh",
        "$ @w --@w=@d @w/*.txt",
        "```",
        "> @s",
    ],
}
WORDS = """
get set user order total item list cache index node value path file name count parse render build client server request
response token buffer stream handler config option default result error status message queue worker thread session
invoice customer payment account balance price quantity stock report export import update delete create find search
filter sort merge split join validate normalize serialize encode decode encrypt retry timeout limit offset page cursor
""".split()
CJK = (
    "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着"
    "事其里所去行过家十用发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从"
)
KANA = "このファイルを変更してくださいテストのためにプログラムデータベースユーザー情報取得"
HANGUL = "이함수는사용자의주문목록을가져와서합계를계산합니다데이터베이스연결오류"
CYRILLIC = "функция возвращает список заказов пользователя и считает сумму ошибка соединения "
EMOJI = "😀🎉🚀✅❌⚠️🔥💡📦🧪👩‍💻🇩🇪❤️‍🔥✨🐛"


class Sample(NamedTuple):
    kind: str
    text: str


def samples(number: int, seed: int = 1) -> Iterator[Sample]:
    """Always the same ones for a seed, in turn of every kind."""
    chance = random.Random(seed)
    real = _real_files()
    makers: list[tuple[str, Callable[[], str]]] = [
        *((name, lambda lines=lines: _code(chance, lines)) for name, lines in LANGUAGES.items()),
        ("real python", lambda: _window(chance, real)),
        ("real python", lambda: _window(chance, real)),
        ("digits", lambda: _digits(chance)),
        ("digits in code", lambda: _mixed(chance, _numbers)),
        ("cjk", lambda: _mixed(chance, lambda c: _script(c, c.choice((CJK, KANA, HANGUL))))),
        ("cyrillic", lambda: _mixed(chance, lambda c: _script(c, CYRILLIC))),
        ("emoji", lambda: _mixed(chance, lambda c: _script(c, EMOJI))),
        ("long runs", lambda: _mixed(chance, _run)),
        ("noise", lambda: _mixed(chance, _noise)),
    ]
    for n in range(number):
        kind, make = makers[n % len(makers)]
        yield Sample(kind, make())


def _word(chance: random.Random) -> str:
    word = chance.choice(WORDS)
    return word + chance.choice(WORDS).capitalize() if chance.random() < 0.3 else word


def _line(chance: random.Random, line: str) -> str:
    pieces = line.split("@")
    out = [pieces[0]]
    for piece in pieces[1:]:
        what = {
            "w": lambda: _word(chance),
            "N": lambda: chance.choice(WORDS).upper(),
            "d": lambda: str(int(10 ** chance.uniform(0, 6))),
            "s": lambda: " ".join(chance.choice(WORDS) for _ in range(chance.randint(2, 7))),
        }.get(piece[:1])
        out.append(what() + piece[1:] if what else "@" + piece)
    return "".join(out)


def _code(chance: random.Random, lines: list[str]) -> str:
    return "\n".join(_line(chance, chance.choice(lines)) for _ in range(chance.randint(8, 120))) + "\n"


def _real_files() -> list[Path]:
    return sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))


def _window(chance: random.Random, files: list[Path]) -> str:
    lines = chance.choice(files).read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    start = chance.randrange(max(1, len(lines) - 20))
    return "".join(lines[start : start + chance.randint(10, 150)])


def _digits(chance: random.Random) -> str:
    rows = []
    for _ in range(chance.randint(5, 60)):
        numbers = [
            chance.choice((chance.randrange(10**6), round(chance.uniform(-9, 9), 5), chance.getrandbits(64)))
            for _ in range(6)
        ]
        rows.append(chance.choice((", ", " ", "\t")).join(map(str, numbers)))
    return "\n".join(rows)


def _numbers(chance: random.Random) -> str:
    return " ".join(str(chance.getrandbits(chance.choice((7, 20, 64)))) for _ in range(6))


def _mixed(chance: random.Random, extra: Callable[[random.Random], str]) -> str:
    """Code with something else in its texts and comments, as it is in files."""
    lines = chance.choice(list(LANGUAGES.values()))
    rows = [_line(chance, chance.choice(lines)) for _ in range(chance.randint(10, 60))]
    for at in range(0, len(rows), 3):
        rows[at] += f'  # "{extra(chance)}"'
    return "\n".join(rows) + "\n"


def _script(chance: random.Random, letters: str) -> str:
    start = chance.randrange(len(letters))
    return "".join(letters[(start + n) % len(letters)] for n in range(chance.randint(3, 40)))


def _run(chance: random.Random) -> str:
    return chance.choice(("=", "-", "#", " ", "a", "ab", "0", "\t", "é", "x1")) * chance.randint(20, 200)


def _noise(chance: random.Random) -> str:
    letters = chance.choice((string.ascii_letters + string.digits + "+/", "0123456789abcdef", string.punctuation))
    return "".join(chance.choice(letters) for _ in range(chance.randint(16, 80)))
