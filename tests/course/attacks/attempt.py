"""An attempt: what third-party code tries, what should stop it, and how an outsider sees whether it worked."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tests.course.attacks.scene import Scene


class Form(StrEnum):
    """The kinds of third-party code."""

    COURSE = "course agent"
    AGENT = "agent file"
    HEURISTIC = "heuristic file"


class Account(StrEnum):
    """The account that the command runs under."""

    ROOT = "root"
    USER = "user"


class Stop(StrEnum):
    """The kernel feature, or the part of Isolarium, that should stop an attempt."""

    SECCOMP = "seccomp: not on the allow-list"
    ARGUMENT = "seccomp: argument check"
    LANDLOCK_READ = "Landlock: reading"
    LANDLOCK_WRITE = "Landlock: writing"
    DESCRIPTORS = "no inherited descriptors"
    LIMIT = "resource limit"
    CAPABILITIES = "capabilities dropped"
    DISK = "private disk: no code, bounded size"
    SUPERVISOR = "supervisor"
    VALIDATION = "validated messages"
    FREEZE = "stopped between moves"
    ALLOWED = "nothing: permitted on purpose"


ALL_FORMS: Final = frozenset(Form)
AGENTS: Final = frozenset({Form.COURSE, Form.AGENT})
HEURISTIC: Final = frozenset({Form.HEURISTIC})
EVERYONE: Final = frozenset(Account)
ROOT: Final = frozenset({Account.ROOT})
USER: Final = frozenset({Account.USER})

Effect = Callable[["Scene"], bool]
"""Whether the effect of an attempt can be seen from outside once the command has ended."""


@dataclass(frozen=True)
class Attempt:
    """One attempt, and what is expected of it.

    Attributes:
        name: a phrase that completes "the attacker tries to ...".
        code: the body of a function; see `kit` for the names it may use. It succeeds if it returns.
        stop: what should stop it.
        effect: how its success is seen from outside; without one, the attacker's own report counts.
        secret: whether success means reporting the secret that the scene holds.
        alone: whether it needs a process of its own, because it may harm other attempts.
        at_import: whether an agent tries it when its file is loaded, not at its first move; heuristic files always do.
        opponent: the agent that the attacker plays against.
        forms: the kinds of code that it is tried in.
        accounts: the accounts that it is tried under.
        allowed: why it is not prevented; empty if it must be.
        must_work: whether honest code needs it, so that it must succeed.
    """

    name: str
    code: str
    stop: Stop
    effect: Effect | None = None
    secret: bool = False
    alone: bool = False
    at_import: bool = False
    opponent: str = "random"
    forms: frozenset[Form] = ALL_FORMS
    accounts: frozenset[Account] = EVERYONE
    allowed: str = ""
    must_work: bool = False


@dataclass(frozen=True)
class Result:
    """How an attempt ended.

    Attributes:
        attempt: the attempt.
        form: the kind of code that tried it.
        account: the account that it ran under.
        succeeded: whether it worked.
        detail: what the attacker reported.
    """

    attempt: Attempt
    form: Form
    account: Account
    succeeded: bool
    detail: str

    @property
    def is_expected(self) -> bool:
        """Whether it ended as it should."""
        if self.attempt.must_work:
            return self.succeeded
        return not self.succeeded or bool(self.attempt.allowed)

    def __str__(self) -> str:
        outcome = "succeeded" if self.succeeded else "failed"
        return f"{self.form} as {self.account}: {self.attempt.name}: {outcome} ({self.detail})"
