"""Requests, and the files that they name. Half of the requests name none."""

from __future__ import annotations

import pytest

from litecode.core.errors import RequestError
from litecode.core.planning.mentions import Known, Mentions, mentions

TRACKED = (
    *"""
    README.md CHANGELOG.md Makefile pyproject.toml setup.cfg .gitignore .env.example
    shop/__init__.py shop/cart.py shop/stock.py shop/mail.py shop/errors.py shop/cli.py
    shop/models/__init__.py shop/models/order.py shop/models/user.py shop/views/order.py shop/views/user.py
    shop/static/app.js shop/static/style.css shop/templates/mail.html
    web/package.json web/src/index.ts web/src/text.js web/src/pages/[slug]/page.tsx web/src/(auth)/login.tsx
    tests/conftest.py tests/test_cart.py tests/test_stock.py docs/usage.md docs/guide.rst
    scripts/run scripts/deploy.sh lib/parser.go lib/lexer.go plugins/extra vendor/tool
    """.split(),
    "docs/release notes.md",
)

DEFINES = {
    "Cart": ("shop/cart.py",),
    "Cart.total": ("shop/cart.py",),
    "total": ("shop/cart.py", "shop/models/order.py"),
    "send_mail": ("shop/mail.py",),
    "OutOfStock": ("shop/errors.py",),
    "reserve": ("shop/stock.py",),
    "slugify": ("web/src/text.js",),
    "Parser.Next": ("lib/parser.go",),
    "main": ("shop/cli.py",),
    "Order": ("shop/models/order.py",),
}

KNOWN = Known(
    staged=("shop/cart.py", "shop/stock.py", "shop/models/order.py", "tests/test_cart.py", "web/src/text.js"),
    tracked=TRACKED,
    renamed={
        "shop/mailer.py": "shop/mail.py",
        "web/src/main.ts": "web/src/entry.ts",
        "web/src/entry.ts": "web/src/index.ts",
    },
    defines=lambda name: DEFINES.get(name, ()),
    links=frozenset({"plugins/extra", "current"}),
    submodules=frozenset({"vendor/tool"}),
)

# A request and the files in it, in its order; `+` is before those that are to be created, `/` behind folders.
NAMING = """
shop/cart.py: round the total to two digits                                    | shop/cart.py
cart.py: let Cart.total take an optional discount                              | shop/cart.py
In shop/stock.py raise OutOfStock where there is nothing left                  | shop/stock.py
add a docstring to every function in stock.py                                  | shop/stock.py
slugify() in web/src/text.js: no dash at the end                               | web/src/text.js
use the helper from shop/errors.py in cart.py and stock.py | shop/errors.py shop/cart.py shop/stock.py
move OutOfStock from shop/stock.py to errors.py                                | shop/stock.py shop/errors.py
why does shop/cli.py import shop/mail.py?                                      | shop/cli.py shop/mail.py
`shop/cart.py` and `tests/test_cart.py` disagree about rounding, fix the test  | shop/cart.py tests/test_cart.py
(see shop/mail.py) retry sending twice                                         | shop/mail.py
shop/cart.py:14 should not print                                               | shop/cart.py
shop/cart.py:14:5: remove the print                                            | shop/cart.py
tests/test_cart.py::test_total is wrong about VAT                              | tests/test_cart.py
make ./shop/cart.py shorter                                                    | shop/cart.py
models/order.py should use a dataclass                                         | shop/models/order.py
order.py should use a dataclass                                                | shop/models/order.py
in shop/models/order.py and views/order.py call it number, order.py first | shop/models/order.py shop/views/order.py
rename the target test of the Makefile to check                                | Makefile
ignore *.log files in .gitignore, and nothing else, please                     | .gitignore
add build/ to .gitignore                                                       | .gitignore
bump the version in pyproject.toml to 1.3.0                                    | pyproject.toml
fix the typos in "docs/release notes.md"                                       | docs/release notes.md
fix the typos in 'release notes.md'                                            | docs/release notes.md
all tests: tests/*.py should use the fixture                                   | tests/test_cart.py
test_*.py must not print                                                       | tests/test_cart.py
shop/**/order.py: sort the imports                                             | shop/models/order.py
lib/*.{go,c}: wrap the errors                                                  | lib/lexer.go lib/parser.go
the page web/src/pages/[slug]/page.tsx needs a title                           | web/src/pages/[slug]/page.tsx
web/src/(auth)/login.tsx: trim the name                                        | web/src/(auth)/login.tsx
readme.md should mention the Makefile                                          | README.md Makefile
README.md's first line is wrong                                                | README.md
shop\\models\\user.py: add a field email                                         | shop/models/user.py
create shop/clock.py with a function now()                                     | +shop/clock.py
create clock.py with a function now() and use it in shop/cart.py               | shop/cart.py +shop/clock.py
add a new file docs/faq.md and link it in README.md                            | README.md +docs/faq.md
create shop/a.py and shop/b.py, each with a main()                             | +shop/a.py +shop/b.py
write tests for reserve in tests/test_reserve.py                               | +tests/test_reserve.py
extract the VAT rules of cart.py into shop/vat.py                              | shop/cart.py +shop/vat.py
rename shop/mail.py to shop/post.py                                            | shop/mail.py +shop/post.py
add a Dockerfile that runs shop/cli.py                                         | shop/cli.py +Dockerfile
generate src/new/deep/thing.go with an empty Thing                             | +src/new/deep/thing.go
add shop/cart.py to the list in setup.cfg                                      | shop/cart.py setup.cfg
remove the unused target from the Makefile                                     | Makefile
add .editorconfig with two blanks                                              | +.editorconfig
write a guide for beginners in docs/start.md                                   | +docs/start.md
put the constants in shop/constants.py, not in shop/cart.py                    | shop/cart.py +shop/constants.py
split shop/cli.py: the parser goes into a new module shop/arguments.py         | shop/cli.py +shop/arguments.py
use one form of quotes in shop/cart.py,shop/stock.py                           | shop/cart.py shop/stock.py
shop/stock.py#L12-L14 is slow                                                  | shop/stock.py
[slug]/page.tsx needs a title                                                  | web/src/pages/[slug]/page.tsx
sh?p/{cart,stock}.p* should not print                                          | shop/cart.py shop/stock.py
the file models/user should be split                                           | shop/models/user.py
/shop/mail.py: print less                                                      | shop/mail.py
everything below shop/models/ should have type hints                           | shop/models/
"""

# What is in a request without being a file: words with slashes and dots, addresses, versions, names of code.
NOT_NAMING = """
let Cart.total take an optional discount
hand the timeout to smtplib.SMTP
use logging.getLogger(__name__) instead of print
rename fetch_rows() to load_rows() and adapt everything that calls it
return response.json() and not the text
make self.go private
catch os.error as well
ask me@example.com before you change the price
mail to john.doe@shop.co.uk when it fails, cc: ops@shop.io
see https://example.com/docs/index.html for the format
the API is described at http://localhost:8000/openapi.json
it follows www.python.org/dev/peps/pep-0008.md
raise the minimum version to 3.11
require numpy>=1.26.4 and v2.0.1 of the client
support Node.js and Next.js, too
read and/or write in one go
the client/server split is wrong in the docs
use application/json as content type, not text/html
add GET /users/:id and DELETE /api/v1/orders
compare with origin/main first
log 24/7, not 9/5
dates look like 2024/01/31 or 31.12.2024
the ratio is 1/2, e.g. 0.5, i.e. half
convert km/h to m/s
pass *args and **kwargs on
write a*b as a * b
use `import * as path from 'path'`
'Hello, World!' must give 'hello-world'
print "n/a" when there is no value
import { x } from '../utils/x.js' is wrong, it has to be a named import
say "it works." in the log
what does Pool do when I pass no number?
sort by price. then by name
replace datetime.utcnow() by datetime.now(tz=UTC)
accept .5 as a number
set the default of retries to 3, and of backoff to 0.25
the regex ^\\d+\\.\\d+$ should also match integers
fix: parse_duration('1h30m') gives 1800.0 because only the last part counts
use foo::bar::Baz and std::fs::read instead
write the report to /var/log/shop/report.log
keep the cache in ~/.cache/shop
the output should go to report.csv by default
return {"status": "ok"} with 200/OK
translate the comments into English
TODO: remove the hack (#123) before v1.0
github.com/pallets/click/issues.py is only an example
call requests.get(url, timeout=10)
Order.total and Order.lines should be properties
build: support io.js 3.x
a flag that disables loading .env
do not fail when .git/ is there
add express.json tests
add Todo.txt syntax
"""

# A request, a word of the message, and words of the hint.
REFUSED = """
shop/mailer.py: send_mail should take a timeout | no file shop/mailer.py | renamed: it is shop/mail.py now
fix the import in mailer.py                                        | no file mailer.py | shop/mail.py now
web/src/main.ts should export it                                   | no file web/src/main.ts | web/src/index.ts now
src/postman.py: send_mail should take a timeout | no file src/postman.py | send_mail is defined in shop/mail.py
shop/carts.py: round the total                                     | no file shop/carts.py | shop/cart.py
src/cart.py: round the total                                       | no file src/cart.py | shop/cart.py
cart.ts: round the total                                           | no file cart.ts | shop/cart.py
add logging to shop/basket.py                                      | no file shop/basket.py | create shop/basket.py
edit config.json                                                   | no file config.json | create config.json
user.py needs a field email                                        | user.py can be 2 files | by its path
fix __init__.py                                                    | __init__.py can be 2 files | by its path
add ../common/retry.py with a function retry()                     | outside | a file of this repository
edit /etc/hosts.conf                                               | outside | a file of this repository
../other/app.py: print less                                        | outside | a file of this repository
create ~/notes.md                                                  | outside | a file of this repository
create shop/../../x.py                                             | outside | a file of this repository
add a hook in .git/hooks/pre-commit                                | belongs to git | repository
change web/.git/config.py                                          | belongs to git | repository
create plugins/extra/new.py                                        | symbolic link plugins/extra | in the repository
current/app.py: print less                                         | symbolic link current | in the repository
vendor/tool/main.c: print less | submodule vendor/tool | run the request in vendor/tool
create shop/cart.py/total.py                                       | shop/cart.py is a file | another path
src/*.rs: sort the imports                                         | no file matches src/*.rs | git ls-files
remove the entry for build in .dockerignore                        | no file .dockerignore | create .dockerignore
move the entry up in shop/carts.py                                 | no file shop/carts.py | shop/cart.py
create a.py in shop/carts.py                                       | no file shop/carts.py | shop/cart.py
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def said(found: Mentions) -> str:
    return " ".join(
        [*found.paths, *(f"+{path}" for path in found.creates), *(f"{folder}/" for folder in found.folders)]
    )


@pytest.mark.parametrize(("request_", "expected"), rows(NAMING))
def test_files_that_a_request_names(request_: str, expected: str) -> None:
    assert said(mentions(request_, KNOWN)) == expected


@pytest.mark.parametrize("request_", NOT_NAMING.strip().splitlines())
def test_requests_that_name_no_file(request_: str) -> None:
    found = mentions(request_, KNOWN)
    assert (found.paths, found.creates, found.folders) == ((), (), ())


@pytest.mark.parametrize(("request_", "message", "hint"), rows(REFUSED))
def test_names_that_are_refused(request_: str, message: str, hint: str) -> None:
    with pytest.raises(RequestError) as caught:
        mentions(request_, KNOWN)
    assert message in str(caught.value)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("request_", "prefix", "paths"),
    [
        (r"dir\a.py: rename x", "", ("dir/a.py",)),  # as Windows writes it
        (r"in odd\b.py rename x", "", (r"odd\b.py",)),  # on Linux a name like any other
        (r"in odd\b.py rename x", "dir/", (r"dir/odd\b.py",)),
        (r"in dir\a.py and odd\b.py rename x", "", ("dir/a.py", r"odd\b.py")),
        (r"split at \n and at a\b", "", ()),
    ],
)
def test_backslashes(request_: str, prefix: str, paths: tuple[str, ...]) -> None:
    tracked = ("dir/a.py", r"odd\b.py") if not prefix else (r"dir/odd\b.py",)
    known = Known(staged=tracked, tracked=tracked, prefix=prefix, defines=lambda _name: ())
    assert mentions(request_, known).paths == paths
