"""No page can make the server load a file or start a program, unless the operator lets it."""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies

from isolarium.agents import read_spec
from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_db import Record
from isolarium.errors import InputError
from isolarium.processes.code_loader import Permit
from isolarium.web.agent_policy import AgentPolicy
from isolarium.web.http_errors import HttpError
from tests.arena.processes import wait_until
from tests.command import assert_refused, run_isolarium
from tests.playing import Careful, Wanderer, play_run_here
from tests.web.serving import FINISHED, Server, put_finished_run, serving

pytestmark = pytest.mark.slow

HEURISTIC = """
from isolarium.heuristics import heuristic, mobility


@heuristic
def mine(view, own, opp):
    return mobility(view, own)
"""
TRACE = """
from pathlib import Path

Path(__file__).with_suffix(".loaded").touch()
"""
"""Fails in the sandbox, which is told instead of a refusal; outside it a file would be left."""
HOSTILE = [
    "alphabeta:FILE:mine@nodes=100",
    "greedy:FILE:mine",
    "alphabeta:staged(first=improved, then=FILE:mine, at=0.4)@nodes=100",
    "alphabeta:staged(FILE:mine)",
    "strong: staged ( first = staged(then = FILE:mine) ) @nodes=100",
    "minmax_approximation(p=3):FILE:mine",
    "alphabeta:./../..FILE:mine",
    "alphabeta:null@/../../../../../..FILE:mine",
    "alphabeta:null@nodes=10,book=FILE",
    "oracle@ book = FILE ",
    "course:FILE",
    "engine:FILE",
    " engine :FILE",
    "engine:FILE --flag@nodes=10",
    "course",
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a heuristic that leaves a trace when it is loaded."""
    path = tmp_path / "agents" / "mine.py"
    path.parent.mkdir()
    path.write_text(TRACE + HEURISTIC)
    return path


def was_loaded(file: Path) -> bool:
    return file.with_suffix(".loaded").exists()


@pytest.mark.parametrize("spec", HOSTILE)
def test_files_and_programs_are_refused_everywhere(server: Server, file: Path, spec: str) -> None:
    agent = spec.replace("FILE", str(file))
    refused = [
        server.post("/api/move", {"game": "7x7: d4 b3", "agent": agent}),
        server.post("/api/values", {"game": "7x7: d4 b3", "searches": [agent]}),
        server.post("/api/runs", {"kind": "match", "first": agent, "second": "random"}),
        server.post("/api/runs", {"kind": "match", "first": "random", "second": agent}),
    ]
    for answer in refused:
        assert answer.status_code == 403
        assert "--allow" in answer.json()["error"]
    assert not was_loaded(file)


def test_heuristics_from_files_are_refused_too(server: Server, file: Path) -> None:
    for text in (f"{file}:mine", f"staged(then={file}:mine)"):
        wanted = {"game": "7x7: d4 b3", "heuristics": [text]}
        assert server.post("/api/values", wanted).status_code == 403
    assert not was_loaded(file)


def test_a_limit_is_no_way_to_a_file(server: Server, file: Path) -> None:
    """A study's limit becomes part of its agents' specs, where a path could begin with it."""
    limit = f"/../../../../../..{file}:mine"
    for wanted in (
        {"kind": "study", "study": "report-003", "limit": limit},
        {"kind": "match", "first": "mcts", "second": "mcts", "limit": limit},
    ):
        assert server.post("/api/runs", wanted).status_code == 422
    assert not was_loaded(file)


@pytest.fixture(scope="module")
def allowing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose operator allows the folder `agents` beside its runs."""
    folder = tmp_path_factory.mktemp("allowing")
    (folder / "agents").mkdir()
    with serving(folder / "runs", "--allow", str(folder / "agents")) as server:
        yield server


@pytest.fixture
def allowed(allowing: Server, tmp_path: Path) -> Path:
    """A file there, like the other."""
    path = allowing.runs.parent / "agents" / f"{tmp_path.name}.py"
    path.write_text(HEURISTIC)
    return path


@pytest.mark.slow
def test_a_file_that_never_ends_loading_leaves_the_server_answering(tmp_path: Path, file: Path) -> None:
    file.write_text(f"from pathlib import Path\nwhile True:\n    pass\n{HEURISTIC}")
    endless = {"game": "5x5: a1 c3", "agent": f"greedy:{file}:mine"}
    with serving(tmp_path / "runs", "--allow", str(file.parent)) as server, server.asking("/api/move", endless):
        server.wait_until_at_work()
        assert server.post("/api/move", {"game": "5x5: a1 c3", "agent": "greedy:open"}).status_code == 200
        assert server.get("/api/agents").status_code == 200
        assert server.post("/api/agent", {"agent": "mcts"}).status_code == 200


@pytest.mark.slow
def test_what_a_worker_or_an_agents_process_says_names_no_command(allowing: Server, allowed: Path) -> None:
    agent = f"greedy:staged(first={allowed}:mine, then=zzzqqq)"
    expected = "no heuristic named 'zzzqqq' (there are improved, distance and others)"
    assert allowing.post("/api/agent", {"agent": agent}).json()["error"].endswith(expected)
    refused = allowing.post("/api/move", {"game": "5x5: a1 c3", "agent": agent})
    assert refused.json()["error"].endswith(expected)


@pytest.mark.slow
def test_an_agent_in_an_allowed_file_is_written_in_full(allowing: Server, allowed: Path) -> None:
    allowed.write_text(f"{HEURISTIC.replace('opp):', 'opp, z=0.0, y=1.0):')}")
    for text, full in (("", ""), ("(0, 2)", "(y=2)")):
        asked = allowing.post("/api/agent", {"agent": f"strong: {allowed}:mine{text}@nodes=5"})
        assert asked.json() == {"agent": f"strong:{allowed.name}:mine{full}@nodes=5"}
    wrong = allowing.post("/api/agent", {"agent": f"strong:{allowed}:yours"})
    assert wrong.status_code == 422
    assert "no heuristic named 'yours' (it has mine)" in wrong.json()["error"]


@pytest.mark.slow
def test_the_operator_may_allow_a_folder_but_not_what_lies_outside(allowing: Server, allowed: Path) -> None:
    outside = allowed.parent.parent / "outside.py"
    outside.write_text(TRACE + HEURISTIC)
    (allowed.parent / "link.py").symlink_to(outside)

    def status(path: Path | str) -> int:
        wanted = {"game": "5x5: a1 c3", "agent": f"greedy:{path}:mine"}
        return allowing.post("/api/move", wanted).status_code

    assert status(allowed) == 200
    assert status(allowed.parent / "nothing.py") == 422
    for path in (outside, allowed.parent / "link.py", allowed.parent / ".." / "outside.py"):
        assert status(path) == 403
    assert not was_loaded(outside)


@pytest.mark.slow
def test_no_detour_through_an_allowed_folder_leads_outside(allowing: Server, allowed: Path, tmp_path: Path) -> None:
    outside = tmp_path / "evil.py"
    outside.write_text(TRACE + HEURISTIC)
    (allowed.parent / "y").write_text(HEURISTIC)
    for detour in (f"{outside}:mine@x/../..{allowed.parent}/y:mine", f"{outside}/../{allowed}:mine"):
        allowing.post("/api/move", {"game": "5x5: a1 c3", "agent": f"alphabeta:{detour}"})
        allowing.post("/api/agent", {"agent": f"alphabeta:{detour}"})
        allowing.post("/api/values", {"game": "5x5: a1 c3", "heuristics": [detour]})
    assert not was_loaded(outside)


@pytest.mark.parametrize(("folders", "loads"), [((), False), (("agents",), True)])
def test_what_a_server_starts_loads_nothing_that_it_does_not_allow(
    tmp_path: Path, file: Path, folders: tuple[str, ...], loads: bool
) -> None:
    """A record may say one thing to the server and another to the process that goes on with it."""
    plan = Plan(Format.MATCH, ("greedy:open", "random"), pairs=1, board="5x5")
    object.__setattr__(plan, "agents", (f"greedy:{file}:mine", "random"))
    play_run_here(tmp_path / "run", plan, [Careful(), Wanderer()], games=0)
    command = ("resume", str(tmp_path / "run"), "--trust", "--no-accuracy", "--workers", "1")
    permit = Permit(tuple(tmp_path.resolve() / folder for folder in folders))
    result = run_isolarium(*command, **permit.environment())
    assert not was_loaded(file)
    if loads:
        assert result.returncode == 1  # It was loaded, and failed in the sandbox.
        assert result.stderr.endswith("run the command again\n")
    else:
        assert_refused(result, "not in a folder whose files may be loaded here")
        with closing(Record(tmp_path / "run")) as record:
            assert (record.count(), record.files()) == (0, None)


def test_words_that_are_no_files_are_let_through() -> None:
    policy = AgentPolicy()
    for spec in (
        "alphabeta:distance(z=0, f=arctan, alpha=1)@nodes=100",
        "minmax_approximation(p=3, reverse=false):ratio@nodes=2000",
        "strong:staged(first=improved, then=distance(f=arctan), at=0.4)@nodes=20k,book",
        "mcts(c=1)@nodes=100",
    ):
        assert str(policy.agent(spec)).partition("@")[0].replace(" ", "")
    with pytest.raises(HttpError):
        policy.agent("alphabeta:f(first=alphabeta:f)")


UP = "/../../../../../.."
HEADS = ("alphabeta:", "greedy:", "mcts(c=1):", "minmax_approximation(p=3):", "course:", " engine:", "")
LEAVES = ("improved", "FILE:mine", "alphabeta:FILE:mine", f"null@{UP}FILE:mine", ":FILE:mine", "FILE")
TAILS = ("", "@nodes=10", "@FILE:mine", f"@nodes=1,{UP}FILE:mine", " @ms=1:FILE:mine")
heuristics = strategies.recursive(
    strategies.sampled_from(LEAVES),
    lambda inner: strategies.tuples(
        strategies.sampled_from(("staged(%s)", "staged( first = %s )", "staged(then=%s, at=0.4)")), inner
    ).map(lambda pair: pair[0] % pair[1]),
    max_leaves=3,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(head=strategies.sampled_from(HEADS), body=heuristics, tail=strategies.sampled_from(TAILS))
def test_whatever_is_let_through_loads_nothing(file: Path, head: str, body: str, tail: str) -> None:
    text = f"{head}{body}{tail}".replace("FILE", str(file))
    with suppress(InputError, HttpError):
        AgentPolicy().check(text)
        read_spec(text)
    assert not was_loaded(file)


def test_heuristics_of_packages_are_refused_before_they_are_loaded(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packaged = tmp_path / "theirs-1.0.dist-info"
    packaged.mkdir()
    (packaged / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (packaged / "entry_points.txt").write_text("[isolarium.heuristics]\ntheirs = mine:mine\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(file.parent)
    for text in ("alphabeta:theirs", "greedy: theirs @nodes=5", "strong:staged(then=theirs)@ms=5"):
        with pytest.raises(HttpError):
            AgentPolicy([file.parent]).agent(text)
    with pytest.raises(HttpError):
        AgentPolicy().heuristic("staged(first=theirs)")
    assert not was_loaded(file)
    with pytest.raises(InputError, match="PermissionError"):  # from the file itself
        read_spec("alphabeta:theirs")


@pytest.fixture(scope="module")
def their_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file like the other that runs of somebody else name."""
    path = tmp_path_factory.mktemp("theirs") / "mine.py"
    path.write_text(HEURISTIC)
    return path


@pytest.fixture(scope="module")
def strangers(their_file: Path) -> Iterator[Server]:
    """A server with runs that somebody else has made."""
    runs = their_file.parent / "runs"
    put_finished_run(runs)
    agents = [Careful(), Wanderer()]
    plan = Plan(Format.MATCH, ("greedy:open", "random"), pairs=3, title="<script>alert(1)</script>")
    hostile = f"alphabeta:staged(first=improved, then={their_file}:mine)@nodes=10"
    object.__setattr__(plan, "agents", (hostile, "random"))
    play_run_here(runs / "stranger", plan, agents, games=2)
    study = runs / "studied"
    study.mkdir()
    (study / "study.toml").write_text(f'title = "x"\\n[agents]\\nmine = "greedy:{their_file}:mine"\\n')
    (study / "settings.json").write_text('{"name": "x", "limit": "", "scale": 1, "parts": []}')
    with serving(runs) as server:
        yield server


def test_runs_of_strangers_are_shown_but_neither_loaded_nor_resumed(strangers: Server, their_file: Path) -> None:
    names = {one["name"] for one in strangers.get("/api/runs").json()["runs"]}
    assert names == {FINISHED, "stranger"}
    assert strangers.get("/api/runs/stranger").status_code == 200
    assert strangers.get("/api/runs/stranger/games/1").status_code == 200
    for name in ("stranger", "studied"):
        answer = strangers.post(f"/api/runs/{name}/resume")
        assert answer.status_code == 403
    assert not was_loaded(their_file)
    (strangers.runs / "studied" / "settings.json").unlink()
    assert strangers.post("/api/runs/studied/resume").status_code == 404  # nothing was begun there
    with closing(Record(strangers.runs / "stranger")) as record:
        assert record.count() == 2


@pytest.mark.slow
def test_a_strangers_text_is_no_script_in_a_report(strangers: Server, their_file: Path) -> None:
    page = strangers.get("/api/runs/stranger/report/")
    assert page.status_code == 200
    assert "alert(1)" in page.text
    assert "<script" not in page.text
    assert not was_loaded(their_file)


def test_nothing_in_the_servers_current_folder_is_run(tmp_path: Path) -> None:
    here, trace = tmp_path / "here", tmp_path / "trace"
    here.mkdir()
    for name in ("typer", "isolarium", "numpy", "uvicorn", "sqlite3"):
        (here / f"{name}.py").write_text(f"open({str(trace)!r}, 'a').write({name!r})\n")
    runs = tmp_path / "runs"
    plan = Plan(Format.MATCH, ("random", "greedy:open"), board="5x5", pairs=2)
    play_run_here(runs / "run", plan, [Wanderer(), Wanderer()], games=2)
    with serving(runs, folder=here, new_interpreter=True) as server:
        assert server.get("/api/runs/run/report/").status_code == 200
        move = {"game": "5x5: c3 a1", "agent": "random"}
        assert server.post("/api/move", move).status_code == 200
        assert server.post("/api/runs/run/resume").status_code == 202
        wait_until(lambda: server.get("/api/runs/run").json()["games"] == 4, "the games")
    assert not trace.exists()
