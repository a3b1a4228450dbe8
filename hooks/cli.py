"""`git litecode`: finds the command, and imports nothing but that one."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import click
from click.shell_completion import CompletionItem

from litecode.core.errors import EXIT_FAILED, UsageError
from litecode.hooks.completing import VARIABLE, answer
from litecode.hooks.failure import guarded
from litecode.hooks.show.terminal import Terminal
from litecode.hooks.starting import ended

PROGRAM = "git litecode"


class Entry(NamedTuple):
    """Where a command is, and what it does; the sentence is that of its own help, without the full stop."""

    module: str
    help: str


COMMANDS = {
    "init": Entry("litecode.hooks.commands.init", "Write a first .litecode.yaml for this repository"),
    "install": Entry("litecode.hooks.commands.install", "Add the native hooks"),
    "uninstall": Entry("litecode.hooks.commands.uninstall", "Take the native hooks out again"),
    "run": Entry("litecode.hooks.commands.run", "Apply the rules to the staged files, and stage what is proven"),
    "commit": Entry("litecode.hooks.commands.commit", "Carry out the requests of a message, then git commit"),
    "check": Entry("litecode.hooks.commands.check", "Show what breaks a rule, and change nothing"),
    "ask": Entry("litecode.hooks.commands.ask", "Answer a question about the code, and change nothing"),
    "map": Entry("litecode.hooks.commands.map", "Show what a planner sees of the files"),
    "plan": Entry("litecode.hooks.commands.plan", "Show the tasks that a request would become"),
    "log": Entry("litecode.hooks.commands.log", "List the runs that are kept"),
    "show": Entry("litecode.hooks.commands.show", "Show a run: verdicts, reasons, diffs"),
    "review": Entry("litecode.hooks.commands.review", "Go through held patches, hunk by hunk"),
    "apply": Entry("litecode.hooks.commands.apply", "Stage held patches"),
    "drop": Entry("litecode.hooks.commands.drop", "Forget held patches"),
    "report": Entry("litecode.hooks.commands.report", "Write a run as one HTML page"),
    "undo": Entry("litecode.hooks.commands.undo", "Take back what a run has changed"),
    "explain": Entry("litecode.hooks.commands.explain", "Say a rule in words"),
    "refine": Entry("litecode.hooks.commands.refine", "Make a rule precise, by its examples"),
    "test": Entry("litecode.hooks.commands.test", "Check rules against their examples"),
    "model": Entry("litecode.hooks.commands.model", "Fetch, list and serve the models that run inside of LiteCode"),
    "connect": Entry("litecode.hooks.commands.connect", "Choose where the model runs, and test it"),
    "trust": Entry("litecode.hooks.commands.trust", "Let the verify commands of the rules file run"),
    "doctor": Entry("litecode.hooks.commands.doctor", "Check that everything is in place"),
    "completion": Entry("litecode.hooks.commands.completion", "Print what makes a shell complete git litecode"),
}


class LazyGroup(click.Group):
    """Knows the names of its commands, and imports one when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # as in click
        return list(COMMANDS)

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # as in click
        if cmd_name not in COMMANDS:
            return None
        command = import_module(COMMANDS[cmd_name].module).command
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name].module}.command is no click command")
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """As in click, without the import of every command."""
        found = [(name, entry.help) for name, entry in COMMANDS.items() if name.startswith(incomplete)]
        return [
            *(CompletionItem(name, help=said) for name, said in found),
            *click.Command.shell_complete(self, ctx, incomplete),
        ]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            near = get_close_matches(args[0], COMMANDS, 1)
            hint = f"did you mean `{PROGRAM} {near[0]}`?" if near else f"`{PROGRAM} -h` lists the commands"
            raise UsageError(f"there is no command {args[0]}", hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # as in click
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])


def _print_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"litecode {version('litecode')}")
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def group() -> None:
    """Keep conventions on the staged files of a commit, with a small local model.

    `git litecode COMMAND -h` explains a command.
    """


def main(argv: Sequence[str] | None = None) -> int:
    """The console script; the exit code is one of `litecode.core.errors`, or 141 when nobody reads the output."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  # open as long as it runs
    terminal = Terminal.of(sys.stdout, sys.stderr, os.environ)
    if argv is None and VARIABLE in os.environ:
        return answer(group, os.environ[VARIABLE])
    code = guarded(lambda: _start(sys.argv[1:] if argv is None else argv, terminal), terminal, os.environ)
    return ended(code) if argv is None else code


def _start(argv: Sequence[str], terminal: Terminal) -> int | None:
    if "GIT_DIR" in os.environ or "GIT_WORK_TREE" in os.environ:
        from litecode.core.git.repository import seen_from_outside

        place = seen_from_outside(Path.cwd(), os.environ)
        if place is not None:
            os.environ.update(place)
            os.chdir(place["GIT_WORK_TREE"])
    return _run(argv, terminal)


def _run(argv: Sequence[str], terminal: Terminal) -> int | None:
    try:
        with group.make_context(PROGRAM, list(argv)) as ctx:
            code: int | None = group.invoke(ctx)
            return code
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        terminal.tell(error.message)
        return EXIT_FAILED
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else PROGRAM
        raise UsageError(error.format_message(), f"`{where} -h` shows how it is used") from error
    except click.ClickException as error:
        raise UsageError(error.format_message()) from error
    except click.Abort:
        raise KeyboardInterrupt from None
