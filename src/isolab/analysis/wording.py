"""How figures are put into words."""


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 game`, `1,200 games`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def signed(figure: str) -> str:
    """A figure in print: with a minus sign, which is as wide as a plus."""
    return figure.replace("-", "\N{MINUS SIGN}")


def elo_words(difference: float) -> str:
    """`+30 Elo`, `0 Elo`."""
    return f"{signed(f'{difference:+g}')} Elo" if difference else "0 Elo"
