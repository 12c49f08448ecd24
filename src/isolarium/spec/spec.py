"""Agent specs, such as `alphabeta:improved@nodes=8000`.

`isolarium.spec.parser` defines the syntax. `parse_spec` checks a spec against what the searches accept, without loading
anything. `load_spec` also looks up everything that the spec names, and runs files in this process, so use it only for
specs without files or in sandboxed processes. `isolarium.spec.resolve` starts such processes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from isolarium.errors import InputError, located, quoted, shown
from isolarium.limits import Limit
from isolarium.spec.parser import (
    AGENT,
    BOOK,
    CACHED,
    COURSE,
    ENGINE,
    MOST_SHOWN,
    OWN,
    AgentTree,
    Call,
    assigned,
    check_length,
    check_once,
    command_of,
    parse_amount,
    parse_tree,
    read_limit,
)
from isolarium.spec.registry import OWN_AGENT, PROGRAMS, SEARCHES, Option, ProgramKind, SearchKind
from isolarium.text import did_you_mean

if TYPE_CHECKING:
    from isolarium.search.protocol import Evaluator


class ThirdPartyCode(NamedTuple):
    """The third-party code that a heuristic loads.

    Attributes:
        files: Heuristic files, by their real paths.
        packages: Names that installed packages may have registered.
        data: Files that are read and not run, such as an opening book.
    """

    files: list[Path]
    packages: list[str]
    data: list[Path]


def third_party_code(heuristic: Call | None, book: bool | str = False) -> ThirdPartyCode:
    """Return the third-party code that a heuristic loads, and its agent's book; the loader reports missing files."""
    calls = [] if heuristic is None else list(heuristic.calls())
    return ThirdPartyCode(
        files=[_real_path(call.file) for call in calls if call.file is not None],
        packages=sorted({call.word for call in calls if call.file is None}),
        data=[_real_path(book)] if isinstance(book, str) else [],
    )


def _real_path(text: str) -> Path:
    try:
        return Path(text).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):  # an unknown user after ~, or a null byte
        return Path(text)


@dataclass(frozen=True)
class AgentSpec:
    """The definition of an agent.

    Attributes:
        kind: The search, or the kind of program.
        options: All options of the search.
        heuristic: The heuristic as written, if the search takes one.
        limit: The limit of its search.
        book: Whether it consults the opening book before searching; or the path of another book.
        names_limit: Whether the spec contains the limit. If not, the limit is the search's default.
        program: A third-party program with its arguments, instead of search and heuristic.
    """

    kind: SearchKind | ProgramKind
    options: Mapping[str, bool | float]
    heuristic: Call | None
    limit: Limit
    book: bool | str = False
    names_limit: bool = field(default=True, compare=False)
    program: Call | None = None

    def __str__(self) -> str:
        """Return the spec as text, with its limit and without default options.

        An agent in Python may not accept a limit, so a default limit is left out.
        """
        may_take_none = self.kind.name in (OWN, AGENT)
        writes_limit = self.kind.takes_limit and (self.names_limit or not may_take_none)
        return f"{self.head}@{self.limit_text}" if writes_limit else self.head

    @property
    def head(self) -> str:
        """The text without the limit."""
        chosen = ", ".join(
            f"{name}={format_option(value)}"
            for name, value in self.options.items()
            if value != self.kind.options[name].default
        )
        search = self.kind.name + (f"({chosen})" if chosen else "")
        return search if self.body is None else f"{search}:{self.body}"

    @property
    def body(self) -> Call | None:
        """The part after the colon."""
        return self.program or self.heuristic

    @property
    def limit_text(self) -> str:
        """The limit and the book as written in a spec."""
        if isinstance(self.book, str):
            return f"{self.limit},{BOOK}={self.book}"
        return f"{self.limit},{BOOK}" if self.book else str(self.limit)

    @property
    def short_name(self) -> str:
        """The shortest name: the heuristic or program without its file, or the search."""
        if self.kind.name == ENGINE:
            return PurePath(self.files[0]).name
        if self.program is not None:
            return self.program.function or PurePath(self.program.word).name
        if self.heuristic is None:
            return self.kind.name
        return self.heuristic.own or self.heuristic.function or self.heuristic.word

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the spec names, as written, without duplicates."""
        if self.kind.name == ENGINE and self.program is not None:
            return tuple(command_of(self.program.word)[:1])
        if self.is_own_agent or self.installed:
            return ()
        if self.program is not None:
            return (self.program.file or self.program.word,)
        named = () if self.heuristic is None else self.heuristic.files
        return (*named, self.book) if isinstance(self.book, str) else named

    @property
    def is_own_agent(self) -> bool:
        """Whether the agent is an object of the running program."""
        return self.kind.name == OWN

    @property
    def installed(self) -> str:
        """The name under which an installed package registered the agent, or an empty string."""
        if self.kind.name != AGENT or self.program is None or self.program.names_file:
            return ""
        return self.program.word

    @property
    def is_of_course(self) -> bool:
        """Whether the agent is a course agent, or one of our searches with a course score function."""
        if self.program is not None:
            return self.kind.name == COURSE
        return self.heuristic is not None and self.heuristic.program == COURSE

    @cached_property
    def is_third_party(self) -> bool:
        """Whether the agent runs third-party code, from a file or an installed package."""
        if self.heuristic is None:
            return self.program is not None and not self.is_own_agent
        # Imported here and below because heuristics load the compiler, which parsing does not need.
        from isolarium.heuristics.lookup import is_third_party

        return is_third_party(self.heuristic)

    @property
    def loads_heuristic(self) -> bool:
        """Whether the agent is one of our searches with a heuristic from a file or a package."""
        return self.is_third_party and self.program is None and not self.is_of_course

    def with_limit(self, limit: Limit | None, book: bool = False) -> "AgentSpec":
        """Return the agent with another limit, unless it is None, and with a book if `book` is set.

        An agent that accepts no limit is returned unchanged.

        Raises:
            InputError: If the limit would never end its search.
        """
        if not self.kind.takes_limit:
            return self
        wanted = self.book or (book and not self.kind.has_book)
        if limit is None:
            return replace(self, book=wanted)
        with located(str(self)):
            _check_limit(self.kind, limit)
        return replace(self, limit=limit, book=wanted, names_limit=True)

    def with_bound_heuristic(self) -> "AgentSpec":
        """Return the agent with its heuristic looked up, running its files in this process.

        The heuristic's parameters are then named, and those with default values are left out.

        Raises:
            InputError: If there is no such heuristic, or its parameters are invalid.
        """
        if self.heuristic is None:
            return self
        from isolarium.heuristics.bound_heuristic import bind_call

        return replace(self, heuristic=bind_call(self.heuristic).call)

    @property
    def third_party_code(self) -> ThirdPartyCode:
        """The third-party code that the agent loads."""
        return third_party_code(self.heuristic, self.book)

    def evaluator(self) -> "Evaluator | None":
        """Return the heuristic for the search; None if the search takes none.

        Raises:
            InputError: If the heuristic or its file is missing or invalid.
        """
        if self.heuristic is None:
            return None
        from isolarium.heuristics.bound_heuristic import bind_call

        bound = bind_call(self.heuristic)
        if not bound.is_third_party:
            return bound
        from isolarium.heuristics.compiler import evaluator_of

        return evaluator_of(bound)


def format_option(value: bool | float) -> str:
    """Format an option's value so that it parses back to the same value."""
    return str(value).lower().removesuffix(".0")


@lru_cache(CACHED)
def parse_spec(text: str) -> AgentSpec:
    """Parse a spec and check all but its heuristic; the result is cached.

    Checking the heuristic would require loading it.

    Raises:
        InputError: If the spec is invalid; the message names the part, and the likely intention.
    """
    tree = parse_tree(text)
    with located(shown(text, MOST_SHOWN)):
        kind = _kind_named(tree.search.word)
        options, limit = _parse_options(kind, tree.search), _limit(kind, tree)
        spec = (
            AgentSpec(kind, options, None, *limit, program=_program(kind, tree))
            if isinstance(kind, ProgramKind)
            else AgentSpec(kind, options, _heuristic(kind, tree), *limit)
        )
    check_length("agent", str(spec))
    return spec


def load_spec(text: str) -> AgentSpec:
    """Parse a spec and look up everything that it names, running its files in this process.

    Returns:
        The agent in its full form, see `AgentSpec.with_bound_heuristic`.

    Raises:
        InputError: If the spec is invalid; the message names the part, and the likely intention.
    """
    spec = parse_spec(text)
    with located(shown(text, MOST_SHOWN)):
        spec = spec.with_bound_heuristic()
    check_length("agent", str(spec))
    return spec


# The parts


def _kind_named(name: str) -> SearchKind | ProgramKind:
    if name in SEARCHES:
        return SEARCHES[name]
    if name in PROGRAMS:
        return PROGRAMS[name]
    if name == OWN:
        return OWN_AGENT
    if name.endswith(".py"):
        raise InputError(f"no search before it; did you mean {quoted(f'alphabeta:{name}:...')}?")
    from isolarium.heuristics.lookup import catalogue

    if name in catalogue():
        raise InputError(f"{name} is a heuristic; did you mean 'alphabeta:{name}'?")
    hint = did_you_mean(name, [*SEARCHES, *PROGRAMS]) or f"there are {', '.join(SEARCHES)}"
    raise InputError(f"no search named {quoted(name)} ({hint})")


def _parse_options(kind: SearchKind | ProgramKind, search: Call) -> dict[str, bool | float]:
    options = {name: option.default for name, option in kind.options.items()}
    given = set[str]()
    for argument in search.arguments:
        name = argument.name or str(argument.value)
        if name not in kind.options:
            has = f"it has {', '.join(kind.options)}" if kind.options else "it has none"
            hint = did_you_mean(name, kind.options) or has
            raise InputError(f"{kind.name} has no option named {quoted(name)} ({hint})")
        check_once(name, given)
        value = str(argument.value) if argument.name else None
        options[name] = _parse_option(kind.options[name], name, value)
    return options


def _parse_option(option: Option, name: str, text: str | None) -> bool | float:
    if isinstance(option.default, bool):
        if text not in ("true", "false"):
            raise InputError(f"{assigned(name, text)}: expected true or false")
        return text == "true"
    value = parse_amount(name, text)
    if not option.least <= value <= option.most or (option.whole and value % 1 != 0):
        kind = "whole number" if option.whole else "number"
        raise InputError(f"{assigned(name, text)}: expected a {kind} from {option.least:g} to {option.most:g}")
    return value


def _heuristic(kind: SearchKind, tree: AgentTree) -> Call | None:
    if kind.takes_heuristic:
        if tree.body is None and kind.default_heuristic is not None:
            return Call(kind.default_heuristic)
        if tree.body is None or not tree.body.word:
            usual = kind.default_heuristic
            known = f"; {kind.name} alone is {kind.name}:{usual}" if usual else ""
            raise InputError(f"{kind.name} needs a heuristic, such as {kind.name}:improved{known}")
    elif tree.body is not None:
        raise InputError(f"{kind.name} does not take a heuristic; remove the ':' and what follows")
    return tree.body


def _program(kind: ProgramKind, tree: AgentTree) -> Call:
    if tree.body is None or not tree.body.word:
        raise InputError(f"{kind.name} needs {kind.needs}")
    if kind.name == ENGINE:
        _check_engine(tree.body)
    if kind.name in (OWN, AGENT) and tree.body.arguments:
        raise InputError(f"{tree.body}: an agent in Python does not take values here")
    if kind.name == AGENT and tree.body.names_file and not tree.body.function:
        raise InputError(f"{tree.body}: expected the name of a function or a class, FILE.py:NAME")
    return tree.body


def _check_engine(program: Call) -> None:
    """Check that an engine has a command, and that each of its options has a name."""
    if not any(command_of(program.word)[:1]):
        raise InputError(f"engine {quoted(program.word)}: expected a program, such as ./my_engine")
    for name, value in program.arguments:
        if not name:
            raise InputError(f"{shown(str(value))}: expected OPTION=VALUE for an engine's option")


def _limit(kind: SearchKind | ProgramKind, tree: AgentTree) -> tuple[Limit, bool | str, bool]:
    """Return the limit, whether to use a book or the book's file, and whether the text contains the limit."""
    if not kind.takes_limit:
        if tree.limit is not None:
            raise InputError(f"{kind.name} does not take a limit; remove the '@' and what follows")
        return Limit(depth=1), False, False
    limit, book = (None, False) if tree.limit is None else read_limit(tree.limit)
    if limit is not None:
        _check_limit(kind, limit)
    if book and isinstance(kind, ProgramKind):
        raise InputError(f"{kind.name} does not use a book; it plays its own moves")
    if book is True and kind.has_book:
        book = False
    return limit or kind.default_limit, book, limit is not None


def _check_limit(kind: SearchKind | ProgramKind, limit: Limit) -> None:
    """Check that a kind of agent accepts a limit, and that the limit ends its search."""
    for name in limit.bounds.keys() - set(kind.bounds):
        taken = " or ".join(f"{bound}=" for bound in kind.bounds)
        raise InputError(f"{kind.name} is not limited by {name}=; expected {taken}")
    if isinstance(kind, ProgramKind):
        return
    if kind.ends_at_depth or limit.nodes is not None or limit.time_ms is not None:
        return
    raise InputError(
        f"a depth alone never ends {kind.name}; add nodes= or ms=, such as @{limit},nodes={kind.default_nodes}"
    )
