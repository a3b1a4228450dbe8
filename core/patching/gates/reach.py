"""Code that reaches out of the program: starts processes, opens connections, runs text as code, reads credentials.

A reply may be the work of somebody else's words, a comment or a README that tells the model what to write. What it can
do then is bounded by this: it brings no such code in that neither the region nor the instruction has.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

from litecode.core.patching.gates.base import Grade, Objection, Rewrite, quoted

# What is matched is shown; `word` is what the region or the instruction has to have for it to be asked for.
_DOT = r"\s*(?:\?\.|\.|::|->)\s*"
_CALLS = tuple(
    re.compile(shape)
    for shape in (
        # modules of Python, Node, Go, Rust and Ruby: an import or an attribute is enough
        rf"(?<![\w.'\"-])(?P<word>subprocess|pty|popen2|ctypes|cffi|socketserver|urllib[23]?|httplib2?|httpx|aiohttp|pycurl"
        rf"|ftplib|smtplib|poplib|imaplib|telnetlib|paramiko|xmlrpc|importlib|runpy|webbrowser|child_process|syscall"
        rf"|reqwest|Open3)(?={_DOT}[A-Za-z_])",
        rf"(?<![\w.])(?P<word>requests)(?={_DOT}(?:get|post|put|patch|delete|head|options|request|[sS]ession)\b)",
        rf"(?<![\w.])(?P<word>socket)(?={_DOT}(?:socket|create_\w+|socketpair|fromfd|connect)\b)",
        rf"(?<![\w.])(?P<word>https?)(?={_DOT}(?:client|server|get|request|createServer)\b)",
        rf"(?<![\w.])(?P<word>c?[pP]ickle|marshal|dill|shelve)(?={_DOT}(?:loads?|open|Unpickler)\b)",
        r"(?m)^\s*(?:import|from)\s+(?:[\w.]+\s*,\s*)*(?P<word>subprocess|pty|ctypes|cffi|socket|socketserver|urllib\w*"
        r"|httplib2?|http(?=\.(?:client|server))|requests|httpx|aiohttp|pycurl|ftplib|smtplib|telnetlib|paramiko|websockets?|xmlrpc|pickle|marshal"
        r"|dill|importlib|runpy|webbrowser)\b",
        r"\b(?:require|import)\s*\(?\s*['\"`](?:node:)?(?P<word>child_process|http|https|http2|net|dgram|tls|vm|cluster|worker_threads"
        r"|axios|node-fetch|got|request|superagent|ws|shelljs|execa)['\"`]",
        r"\bfrom\s*['\"`](?:node:)?(?P<word>child_process|https?|http2|net|dgram|tls|vm|axios|node-fetch|got|ws"
        r"|shelljs|execa)['\"`]",
        r"\"(?P<word>os/exec|net/http|net|syscall|plugin|unsafe)\"",
        # attributes
        rf"\bos{_DOT}(?P<word>system|popen\d?|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?|startfile|fork(?:pty)?|dup2)\b",
        rf"\basyncio{_DOT}(?P<word>create_subprocess_\w+|open_connection|start_server)\b",
        rf"\bexec{_DOT}(?P<word>Command\w*)",
        rf"\bhttp{_DOT}(?P<word>Get|Post|PostForm|Head|NewRequest\w*|Do)\b",
        rf"\bnet{_DOT}(?P<word>Dial\w*|Listen\w*|connect|createConnection)\b",
        rf"\b(?P<word>Command|TcpStream|UdpSocket|TcpListener){_DOT}(?:new|connect|bind)\b",
        rf"\b(?P<word>Runtime){_DOT}getRuntime\b|\bnew\s+(?P<word2>ProcessBuilder|XMLHttpRequest|WebSocket|EventSource|Socket"
        r"|HttpClient|WebClient|TcpClient|Function|Worker)\b|\b(?P<word3>Process)\s*\.\s*(?:Start|spawn)\b",
        rf"\bNet{_DOT}(?P<word>HTTP|FTP|SMTP)\b",
        rf"\bnavigator{_DOT}(?P<word>sendBeacon)\b|\bdocument{_DOT}(?P<word2>cookie|write)\b",
        r"\b(?:window|globalThis|self|global)\s*\[|\b(?P<word>__builtins__|__subclasses__|__globals__|__loader__)\b",
        r"\bgetattr\s*\(\s*(?:os|sys|builtins|subprocess|__import__)\b",
        # calls by name; not definitions of a method with that name
        r"(?<![\w.])(?<!def )(?<!function )"
        r"(?P<word>eval|exec|execfile|compile|__import__|popen|system|fetch|urlopen|urlretrieve|execve?|execvp?e?"
        r"|execl[pe]?|dlopen|shell_exec|passthru|proc_open|pcntl_exec|curl_exec|curl_init|fsockopen|execSync|execFile(?:Sync)?"
        r"|spawnSync|spawn|WinExec|ShellExecute\w*|CreateProcess\w*|b64decode|atob|setTimeout(?=\s*\(\s*['\"`])"
        r"|setInterval(?=\s*\(\s*['\"`])|importScripts)\s*\(",
        rf"\b(?:base64|binascii|codecs|Buffer){_DOT}(?P<word>\w*decode\w*|a2b_\w+|from)\s*\(",
        r"\b(?P<word>axios|superagent)\s*[.(]",
        # shells
        r"(?m)(?:^|[|;&`\"'(\s])(?P<word>curl|wget|nc|ncat|netcat|telnet|ssh|scp|rsync|ftp|sftp)\s+(?:-|[\w.$\"'{/]+[.:/$@])",
        r"\|\s*(?:sudo\s+)?(?P<word>bash|sh|zsh|python3?|perl|ruby|node)\b|\b(?P<word2>bash|sh|zsh|powershell|cmd)(?:\.exe)?\s+[-/][ce]\b"
        r"|/dev/(?P<word3>tcp|udp)/",
    )
)
_ADDRESS = re.compile(
    r"\b(?:https?|ftp|wss?|ssh|git|telnet|ldap|file)://(?P<host>[^\s/'\"`<>)\\]+)|\b(?P<ip>\d{1,3}(?:\.\d{1,3}){3}):\d+",
    re.IGNORECASE,
)
_CREDENTIALS = re.compile(
    r"/etc/(?P<word>passwd|shadow|sudoers)|\.(?P<word2>ssh|aws|netrc|pgpass|gnupg|kube|npmrc|pypirc|git-credentials)(?=[/'\"`\\]|$)"
    r"|\b(?P<word3>id_rsa|id_ed25519|authorized_keys)\b|['\"`/](?P<word4>\.env)(?:\.\w+)?['\"`]|\b169\.254\.169\.254\b",
    re.MULTILINE,
)
# Hosts of examples and of this machine, and names of namespaces, which nobody connects to.
_HARMLESS = re.compile(
    r"(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|(?:[\w-]+\.)*example(?:\.(?:com|org|net))?|www\.w3\.org|json-schema\.org"
    r"|[\w.-]+\.(?:test|invalid|localhost))(?::\d+)?",
    re.IGNORECASE,
)


_FETCH = frozenset({"fetch"})


def new_reach(before: str, after: str, words: Collection[str], language: str | None = None) -> str:
    """What a text reaches that it did not before, as a clause, else empty. `words` are those of whoever asked."""
    known = dict(_reaches(_plain(before)))
    for shown, needed in _reaches(_plain(after)):
        if language == "python" and needed == _FETCH:
            continue  # there it is a name like any other
        if shown not in known and needed not in known.values() and not needed <= set(words):
            return f"{quoted(shown)} reaches out of the program, and neither the code nor the instruction has it"
    return ""


def _reaches(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    """What is shown, and the words that ask for it; without a word nothing asks for it."""
    for shape in (*_CALLS, _CREDENTIALS):
        for match in shape.finditer(text):
            word = next((w for name, w in match.groupdict().items() if name.startswith("word") and w), "")
            shown = " ".join(match.group().split()).strip("\"'`(|;& ")
            yield shown, frozenset(re.findall(r"\w+", word)) or frozenset({shown})
    for match in _ADDRESS.finditer(text):
        host = match["host"] or match["ip"]
        if not _HARMLESS.fullmatch(host.rpartition("@")[2]):
            yield f"the address {host}", frozenset(re.findall(r"\w+", host))


def _plain(text: str) -> str:
    """As the languages read it: compatibility characters, escapes in names, and lines that go on are what they stand
    for.
    """
    text = unicodedata.normalize("NFKC", text).replace("\\\n", " ")
    text = re.sub(r"\\u\{?([0-9a-fA-F]{4,6})\}?|\\x([0-9a-fA-F]{2})", _unescaped, text)
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


def _unescaped(match: re.Match[str]) -> str:
    code = int(match[1] or match[2], 16)
    return chr(code) if 0x20 < code < 0x7F else match.group()


def reach(rewrite: Rewrite) -> Objection | None:
    """Nothing that reaches out comes in unasked."""
    asked = rewrite.asked
    words = asked.vocabulary.words | asked.vocabulary.code | (asked.matcher.words if asked.matcher else frozenset())
    words |= asked.vocabulary.numbers
    new = rewrite.new
    if asked.matcher is not None:
        words |= {word for line in asked.ensure for word in re.findall(r"\w+", line)}
    else:  # of a request: the imports that the reply brings along
        new = "\n".join((*asked.ensure, new))
    found = new_reach(rewrite.old, new, words, rewrite.language)
    return Objection("reach", Grade.REFUSE, found) if found else None


GATES = (reach,)
