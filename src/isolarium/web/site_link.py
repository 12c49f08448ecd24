"""Addresses of games in a site that `isolarium site` writes."""

import re
from urllib.parse import urlencode

from isolarium.errors import InputError
from isolarium.game.position import Position
from isolarium.game.record import GameRecord


def site_link(site: str, found: Position | GameRecord) -> str:
    """Return the address of a game or a position in the Analyse page of a site.

    Raises:
        InputError: If `site` is not the address of a site.
    """
    if not re.match(r"https?://[^\s?#]+$", site):
        raise InputError(f"--link {site}: expected the address of a site, such as https://a.example/")
    game = str(found) if isinstance(found, GameRecord) else f"{found}:"
    query = urlencode({"game": game}, safe=":/@,=()")
    return f"{site.rstrip('/')}/analyse.html?{query}"
