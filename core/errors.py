"""The one tree of errors that a person can meet, each with its remedy.

Every error that LiteCode raises on purpose is a `LitecodeError`: one sentence about what happened, a hint with what
to do, and an exit code. They are shown in one place, `litecode.hooks.show.text`. Any other exception is a bug.
"""

from __future__ import annotations

EXIT_CLEAN = 0
EXIT_FINDINGS = 1
EXIT_FAILED = 2
EXIT_INTERRUPTED = 130


class LitecodeError(Exception):
    """What happened (`message`) and what to type or change (`hint`)."""

    exit_code = EXIT_FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


def clause_of(error: OSError) -> str:
    """What the system says, as the end of a sentence."""
    return (error.strerror or type(error).__name__).lower()


class UsageError(LitecodeError):
    """The command line asks for something that does not go together."""


class ConfigError(LitecodeError):
    """A rules file or a setting cannot be used; `where` is `path:line:col` when it is known."""

    def __init__(self, message: str, hint: str = "", where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message, hint)
        self.where = where


class RuleError(ConfigError):
    """A pattern, regex, fix or instruction of a rule cannot be used."""

    def __init__(self, message: str, hint: str = "", where: str = "", snippet: str = "") -> None:
        super().__init__(message, hint, where)
        self.snippet = snippet  # the code of the rule that is at fault, to find its place


class GitError(LitecodeError):
    """Git, or the state of the repository, does not allow the work."""


class NotARepository(GitError):
    """The command was called outside a repository, or in a bare one."""


class PlanError(LitecodeError):
    """The tasks of a plan do not fit together: a cycle, an unknown dependency, two tasks with one id."""


class RequestError(LitecodeError):
    """A request names a file that is not there, that is not unique, or that must not be written."""


class StateError(LitecodeError):
    """A run, journal or cache in the state directory is missing or damaged."""


class ModelError(LitecodeError):
    """A model call failed; the subclasses say in which way."""

    retry = False  # whether the same call can succeed when it is made again soon


class ModelNotRunning(ModelError):
    """Nothing answers at the endpoint, or no endpoint and no embedded model is there."""


class ModelMissing(ModelError):
    """The endpoint answers, but does not have the model; or the model file is not there or has a wrong hash."""


class ModelUnrecorded(ModelMissing):
    """Recorded replies stand in for the model, and have none to this request."""


class ModelBusy(ModelError):
    """The queue is full or the rate limit is reached; `wait` is in seconds, None when the server did not say."""

    retry = True

    def __init__(self, message: str, hint: str = "", wait: float | None = None) -> None:
        super().__init__(message, hint)
        self.wait = wait


class ModelTooLarge(ModelError):
    """The request does not fit: `needed` and `window` are tokens. Raised by the budget before a call, or by the
    server.
    """

    def __init__(self, message: str, hint: str = "", needed: int = 0, window: int = 0) -> None:
        super().__init__(message, hint)
        self.needed = needed
        self.window = window


class ModelTruncated(ModelError):
    """The server cut the prompt or the stream; what came back must not be used."""

    retry = True


class ModelBadReply(ModelError):
    """The answer is not what the protocol promises."""

    retry = True


class ModelUnsafe(ModelError):
    """The text holds marks of the model's own that its endpoint would not read as text."""


class NotSent(ModelError):
    """What would be sent must stay on this machine: a file on the deny list, or what looks like a secret."""


class ModelAuth(ModelError):
    """The endpoint refuses the key, or the key may not be sent there."""


class ModelTimeout(ModelError):
    """No answer within the time that the run has left."""


class ModelCancelled(ModelError):
    """The run was interrupted."""

    exit_code = EXIT_INTERRUPTED


class Interrupted(LitecodeError):
    """Ctrl-C: nothing has been written."""

    exit_code = EXIT_INTERRUPTED
