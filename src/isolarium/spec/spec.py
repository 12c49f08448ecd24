"""Agent specs: `search(options):heuristic(parameters)@limit,...`, such as `alphabeta:improved@nodes=8000`, or programs.

How they are written is the grammar's (`isolarium.spec.parser`). Here a spec is checked against what the searches take,
still without loading anything: `parse_spec`. `load_spec` also looks up what it names, which runs the files among
that: it is for specs without any, and for processes of other people's code. `isolarium.spec.resolve` asks such a
process.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from isolarium.errors import InputError, located, quoted, shown
from isolarium.limits import Limit
from isolarium.spec.parser import (
    BOOK,
    CACHED,
    COURSE,
    ENGINE,
    MOST_SHOWN,
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
from isolarium.spec.registry import PROGRAMS, SEARCHES, Option, ProgramKind, SearchKind
from isolarium.text import did_you_mean

if TYPE_CHECKING:
    from isolarium.search.protocol import Evaluator


class ForeignCode(NamedTuple):
    """What a heuristic loads that is not ours.

    Attributes:
        files: heuristic files, by their real paths.
        packages: the names of what installed packages may have registered.
        data: files that are read and not run, such as an opening book.
    """

    files: list[Path]
    packages: list[str]
    data: list[Path]


def foreign_code(heuristic: Call | None, book: bool | str = False) -> ForeignCode:
    """Return what a heuristic loads that is not ours, and its agent's book; what is missing the loader will tell."""
    calls = [] if heuristic is None else list(heuristic.calls())
    return ForeignCode(
        files=[_real_path(call.file) for call in calls if call.file is not None],
        packages=sorted({call.word for call in calls if call.file is None}),
        data=[_real_path(book)] if isinstance(book, str) else [],
    )


def _real_path(text: str) -> Path:
    try:
        return Path(text).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):  # such as ~nobody, or a null byte
        return Path(text)


@dataclass(frozen=True)
class AgentSpec:
    """What an agent is made of.

    Attributes:
        kind: the search, or the kind of program.
        options: the search's own parameters, all of them.
        heuristic: the heuristic as it is written, where the search takes one.
        limit: when it stops.
        book: whether it looks into the opening book before it searches; or the file of the one that it looks into.
        names_limit: whether the text says when it stops, or leaves that to the search.
        program: somebody's program with its arguments, in place of search and heuristic.
    """

    kind: SearchKind | ProgramKind
    options: Mapping[str, bool | float]
    heuristic: Call | None
    limit: Limit
    book: bool | str = False
    names_limit: bool = field(default=True, compare=False)
    program: Call | None = None

    def __str__(self) -> str:
        """The text that parses to this, without the options that are at their default; the limit is always said."""
        return f"{self.head}@{self.limit_text}" if self.kind.takes_limit else self.head

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
        """What stands after the colon."""
        return self.program or self.heuristic

    @property
    def limit_text(self) -> str:
        """The limit, and the book with it, as they are written."""
        if isinstance(self.book, str):
            return f"{self.limit},{BOOK}={self.book}"
        return f"{self.limit},{BOOK}" if self.book else str(self.limit)

    @property
    def short_name(self) -> str:
        """One word for it: of the heuristic or the program, without its file; else of the search."""
        if self.kind.name == ENGINE:
            return PurePath(self.files[0]).name
        if self.program is not None:
            return self.program.function or PurePath(self.program.word).name
        if self.heuristic is None:
            return self.kind.name
        return self.heuristic.function or self.heuristic.word

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that it names, as it is written, each once."""
        if self.kind.name == ENGINE and self.program is not None:
            return tuple(command_of(self.program.word)[:1])
        if self.program is not None:
            return (self.program.file or self.program.word,)
        named = () if self.heuristic is None else self.heuristic.files
        return (*named, self.book) if isinstance(self.book, str) else named

    @property
    def is_of_course(self) -> bool:
        """Whether it is an agent of the course, or one of our searches with a score function of the course."""
        if self.program is not None:
            return self.kind.name == COURSE
        return self.heuristic is not None and self.heuristic.program == COURSE

    @cached_property
    def is_foreign(self) -> bool:
        """Whether it runs code that is not ours: of a file, or of an installed package."""
        if self.heuristic is None:
            return self.program is not None
        # Inside, as below: with heuristics the compiler is loaded, which parsing does not wait for.
        from isolarium.heuristics.lookup import is_third_party

        return is_third_party(self.heuristic)

    def with_limit(self, limit: Limit | None, book: bool = False) -> "AgentSpec":
        """The same agent with that limit, None for its own, and the book if it asks for it already or `book` does.

        An agent that takes no limit stays as it is.

        Raises:
            InputError: the limit would never end it.
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
        """Return the agent with its heuristic looked up; files among that are run in this process.

        Parameters of the heuristic then have names, and those at their default are left out.

        Raises:
            InputError: If there is no such heuristic, or its parameters are invalid.
        """
        if self.heuristic is None:
            return self
        from isolarium.heuristics.bound_heuristic import bind_call

        return replace(self, heuristic=bind_call(self.heuristic).call)

    @property
    def foreign_code(self) -> ForeignCode:
        """What is loaded for it that is not ours."""
        return foreign_code(self.heuristic, self.book)

    def evaluator(self) -> "Evaluator | None":
        """The heuristic as the search takes it.

        Raises:
            InputError: something that it names is not there, or not as it should be.
        """
        if self.heuristic is None:
            return None
        from isolarium.heuristics.bound_heuristic import bind_call
        from isolarium.heuristics.compiler import evaluator_of

        return evaluator_of(bind_call(self.heuristic))


def format_option(value: bool | float) -> str:
    """An option's value as in a spec, so that it reads back as the same."""
    return str(value).lower().removesuffix(".0")


@lru_cache(CACHED)
def parse_spec(text: str) -> AgentSpec:
    """Parse a spec, once in a process, and check all but its heuristic, which would have to be loaded.

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
    """Parse a spec and look up everything that it names; files among that are run in this process.

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
    if name.endswith(".py"):
        raise InputError(f"no search before it; did you mean {quoted(f'alphabeta:{name}:...')}?")
    from isolarium.heuristics.catalogue import catalogue

    if name in catalogue():
        raise InputError(f"{name} is a heuristic; did you mean 'alphabeta:{name}'?")
    hint = did_you_mean(name, [*SEARCHES, *PROGRAMS]) or f"there are {', '.join(SEARCHES)}"
    raise InputError(f"no search {quoted(name)} ({hint})")


def _parse_options(kind: SearchKind | ProgramKind, search: Call) -> dict[str, bool | float]:
    options = {name: option.default for name, option in kind.options.items()}
    given = set[str]()
    for argument in search.arguments:
        name = argument.name or str(argument.value)
        if name not in kind.options:
            has = f"it has {', '.join(kind.options)}" if kind.options else "it has none"
            hint = did_you_mean(name, kind.options) or has
            raise InputError(f"{kind.name} has no option {quoted(name)} ({hint})")
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
        raise InputError(
            f"{assigned(name, text)}: expected a {kind} from {option.least:g} to {option.most:g}"
        )
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
        raise InputError(f"{kind.name} takes no heuristic; expected nothing from the ':' on")
    return tree.body


def _program(kind: ProgramKind, tree: AgentTree) -> Call:
    if tree.body is None or not tree.body.word:
        raise InputError(f"{kind.name} needs {kind.needs}")
    if kind.name == ENGINE:
        _check_engine(tree.body)
    return tree.body


def _check_engine(program: Call) -> None:
    """See that it has a command, and that each of its options has a name."""
    if not any(command_of(program.word)[:1]):
        raise InputError(f"engine {quoted(program.word)}: expected a program, such as ./my_engine")
    for name, value in program.arguments:
        if not name:
            raise InputError(f"{shown(str(value))}: expected OPTION=VALUE for an engine's option")


def _limit(kind: SearchKind | ProgramKind, tree: AgentTree) -> tuple[Limit, bool | str, bool]:
    """The limit, whether `book` stands beside it or which file, and whether it is the text's own."""
    if not kind.takes_limit:
        if tree.limit is not None:
            raise InputError(f"{kind.name} takes no limit; expected nothing from the '@' on")
        return Limit(depth=1), False, False
    limit, book = (None, False) if tree.limit is None else read_limit(tree.limit)
    if limit is not None:
        _check_limit(kind, limit)
    if book and isinstance(kind, ProgramKind):
        raise InputError(f"{kind.name} takes no book; it plays its own moves")
    if book is True and kind.has_book:
        book = False
    return limit or kind.default_limit, book, limit is not None


def _check_limit(kind: SearchKind | ProgramKind, limit: Limit) -> None:
    """See that a limit is one that the kind can be given, and ends it."""
    for name in limit.bounds.keys() - set(kind.bounds):
        taken = " or ".join(f"{bound}=" for bound in kind.bounds)
        raise InputError(f"{kind.name} is not limited by {name}=; expected {taken}")
    if isinstance(kind, ProgramKind):
        return
    if kind.ends_at_depth or limit.nodes is not None or limit.time_ms is not None:
        return
    raise InputError(
        f"a depth alone never ends {kind.name}; expected nodes= or ms= beside it, "
        f"such as @{limit},nodes={kind.default_nodes}"
    )
