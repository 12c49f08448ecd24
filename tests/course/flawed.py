"""Students' agents with a flaw: the sample agents with some lines changed."""

from pathlib import Path

from tests.course.student_files import AGENTS


def flawed(folder: Path, *changes: tuple[str, str], agent: str = "generation_2") -> str:
    """The path of a sample agent's file, copied into a folder with some of its text changed, with one score alone."""
    folder.mkdir(exist_ok=True)
    texts = {path.name: path.read_text() for path in (AGENTS / agent).glob("*.py")}
    for old, new in (("_score_2(", "_2("), ("_score_3(", "_3("), *changes):
        if agent != "generation_2" and old in ("_score_2(", "_score_3("):
            continue
        assert any(old in text for text in texts.values()), old
        texts = {name: text.replace(old, new) for name, text in texts.items()}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return str(folder / ("my_custom_player.py" if agent == "later" else "game_agent.py"))
