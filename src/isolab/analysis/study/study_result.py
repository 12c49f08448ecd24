"""What a whole study found, part by part."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from isolab.analysis.study.part_result import PartResult
from isolab.analysis.study.table import Table
from isolab.analysis.study.tables import part_tables
from isolab.analysis.study.verdicts import JudgedClaim, judge_sessions, judged_cells, judged_rows
from isolab.arena.study import Study
from isolab.stats import win_rate


@dataclass(frozen=True)
class PartFindings:
    """A part and its tables.

    Attributes:
        result: what was counted.
        tables: how it is shown.
    """

    result: PartResult
    tables: tuple[Table, ...]

    @property
    def settings(self) -> str:
        """`7x7 · nodes=8000 · 500 pairs · 49,000 games · 500 distinct openings · seed 1`."""
        plan, results = self.result.plan, self.result.results
        pairs = "1 pair" if plan.pairs == 1 else f"{plan.pairs:,} pairs"
        parts = [
            plan.board,
            str(plan.study.get("limit", "")),
            f"{pairs} a meeting",
            f"{results.games:,} games",
            f"{results.openings:,} distinct openings",
            f"seed {plan.seed}",
        ]
        if not results.finished:
            parts.append("not finished")
        return " · ".join(part for part in parts if part)

    @cached_property
    def judged(self) -> list[JudgedClaim]:
        """Every published figure, those for each opponent first."""
        return [*judged_cells(self.result).values(), *judged_rows(self.result)]

    def facts(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        result = self.result
        return {
            "name": result.part.name,
            "title": result.part.title,
            "settings": self.settings,
            "finished": result.results.finished,
            "games": result.results.games,
            "openings": result.results.openings,
            "agents": dict(zip(result.part.agents, result.plan.agents, strict=True)),
            "opponents": dict(zip(result.part.opponents, result.plan.opponents, strict=True)),
            "cells": [
                _cell_facts(result, agent, opponent)
                for agent in result.part.agents
                for opponent in result.part.opponents_of(agent)
            ],
            "claims": [
                {
                    "source": judged.claim.source,
                    "agent": judged.claim.agent,
                    "against": list(judged.claim.against),
                    "won": judged.claim.wins,
                    "games": judged.claim.games,
                    "ours": judged.ours.rate,
                    "low": judged.ours.low,
                    "high": judged.ours.high,
                    "inside_noise": judged.comparison.inside_noise,
                    "p": judged.comparison.p_value,
                    "coin_p": judged.coin.p_value,
                }
                for judged in self.judged
            ],
            "sessions": [
                {
                    "source": judged.sessions.source,
                    "agent": judged.sessions.agent,
                    "than": judged.sessions.than,
                    "better": judged.sessions.better,
                    "of": judged.sessions.of,
                    "chance_better": judged.odds.better,
                    "chance_tied": judged.odds.tied,
                    "expected": [judged.count.low, judged.count.high],
                    "inside_noise": judged.count.inside_noise if judged.is_known else None,
                    "p": judged.count.p_value if judged.is_known else None,
                }
                for judged in (judge_sessions(result, one) for one in result.part.sessions)
            ],
            "tables": [table.facts() for table in self.tables],
        }


def _cell_facts(result: PartResult, agent: str, opponent: str) -> dict[str, Any]:
    summary = result.cell(agent, opponent)
    rate = win_rate(summary)
    return {
        "agent": agent,
        "opponent": opponent,
        "pairs": [summary.won, summary.split, summary.lost],
        "rate": rate.rate,
        "low": rate.low,
        "high": rate.high,
    }


@dataclass(frozen=True)
class StudyFindings:
    """A study and what its parts found.

    Attributes:
        study: what was asked.
        limit: the limit that was put in place of the study's, or nothing.
        scale: pairs for each that the study asks for.
        wanted: how many parts were to be played.
        parts: what each part found.
    """

    study: Study
    limit: str
    scale: float
    wanted: int
    parts: tuple[PartFindings, ...]

    @property
    def games(self) -> int:
        """Games of all parts."""
        return sum(part.result.results.games for part in self.parts)

    @property
    def finished(self) -> bool:
        """Whether every part is complete."""
        done = [part.result.results.finished for part in self.parts]
        return all(done) and len(done) == self.wanted

    @property
    def claims(self) -> tuple[int, int]:
        """How many published figures were judged, and how many of them lie outside the noise."""
        judged = [one.comparison.inside_noise for part in self.parts for one in part.judged]
        return len(judged), judged.count(False)

    def facts(self) -> dict[str, Any]:
        """Everything as JSON can hold it."""
        judged, outside = self.claims
        return {
            "study": self.study.name,
            "title": self.study.title,
            "limit": self.limit or self.study.limit,
            "scale": self.scale,
            "games": self.games,
            "finished": self.finished,
            "claims": judged,
            "outside_noise": outside,
            "parts": [part.facts() for part in self.parts],
        }


def findings(result: PartResult) -> PartFindings:
    """A part with its tables made."""
    return PartFindings(result, tuple(part_tables(result)))
