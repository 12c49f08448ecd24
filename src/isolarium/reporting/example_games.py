"""Example games, as report 000 laid them out: the board at moves 10, 20, 30 and the end, with the mover's score."""

from collections.abc import Iterator
from typing import Final

from isolarium.analysis.run_statistics import Overview
from isolarium.arena.game import Game, is_proven
from isolarium.arena.results import BY
from isolarium.game.outcome import Player, Reason
from isolarium.game.record import GameRecord, format_game
from isolarium.game.svg import draw_svg
from isolarium.reporting.model import Example, Moment

MOMENTS: Final = (10, 20, 30)
MOST_GAMES: Final = 6
SIGNS: Final = ("●", "■")  # the first player is round, the second square, as on the board


def examples(overview: Overview) -> list[Example]:
    """Return both games of the first pair of two players, else a game of each of the best against the best it met."""
    return [_example(game, overview) for game in _chosen(overview)]


def _chosen(overview: Overview) -> Iterator[Game]:
    first_games = overview.first_games
    if len(overview.names) <= 2:
        number = _duel_number(overview)
        yield from (first_games[number, leg] for leg in (0, 1) if (number, leg) in first_games)
        return
    order = overview.results.ranking
    for player in overview.results.tested[:MOST_GAMES]:
        game = _first_game(overview, player, [other for other in order if other != player])
        if game is not None:
            yield game


def _duel_number(overview: Overview) -> int:
    """Return the number of the encounter of two players, who may also have met themselves."""
    met = enumerate(overview.plan.encounters)
    return next((number for number, one in met if one.first != one.second), 0)


def _first_game(overview: Overview, player: int, others: list[int]) -> Game | None:
    """Return the first game that a player began against the best of the others it met."""
    for other in others:
        for number, met in enumerate(overview.plan.encounters):
            if {met.first, met.second} == {player, other}:
                game = overview.first_games.get((number, int(met.second == player)))
                if game is not None:
                    return game
    return None


def _example(game: Game, overview: Overview) -> Example:
    whole = game.record(overview.board)
    first, second = (overview.names[player] for player in game.players)
    numbers = [number for number in MOMENTS if number < len(whole.moves)]
    return Example(
        f"{SIGNS[0]} {first}  vs  {SIGNS[1]} {second}",
        _result(game, overview),
        tuple(_moment(game, whole, overview, number) for number in [*numbers, len(whole.moves)]),
        format_game(whole),
    )


def _result(game: Game, overview: Overview) -> str:
    winner, loser = game.winner, game.winner.other
    won = f"{SIGNS[winner]} {overview.names[game.winning_player]} wins"
    if game.reason is Reason.NO_MOVES:
        return f"{won}: {SIGNS[loser]} has no moves left"
    note = "" if game.reason is Reason.RESIGNATION else f" ({game.note})"
    return f"{won}: {SIGNS[loser]} lost {BY[game.reason]}{note}"


def _moment(game: Game, whole: GameRecord, overview: Overview, number: int) -> Moment:
    position = whole.positions()[number]
    trail = whole.moves[:number]
    is_end = number == len(whole.moves)
    title = f"{'End, move' if is_end else 'Move'} {number}"
    svg = draw_svg(position, last_move=trail[-1], legal=False, trail=trail)
    return Moment(title, _caption(game, number, str(trail[-1])), svg)


def _caption(game: Game, number: int, square: str) -> str:
    """`● to c5, score +1`."""
    went = f"{SIGNS[Player((number - 1) % 2)]} to {square}"
    place = number - len(game.opening) - 1
    return went if place < 0 else f"{went}{score_in_words(game.scores[place])}"


def score_in_words(score: float | str | None) -> str:
    """What the mover said, after a comma; nothing where it said nothing."""
    if score is None:
        return ""
    if isinstance(score, str) and is_proven(score):
        word, _, plies = score.partition(" ")
        return f", sees a {word}" + (f" in {plies}" if plies else "")
    value = float(score)
    return f", score {value:+.4g}" if value else ", score 0"
