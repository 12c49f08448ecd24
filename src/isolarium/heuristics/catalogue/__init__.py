"""The heuristics that come with Isolarium, in one module per family."""

from typing import Final

from isolarium.heuristics.catalogue import learned, lookahead, mobility, placement, territory

MODULES: Final = (mobility, placement, territory, learned, lookahead)

FAMILIES: Final = {module.__name__.rpartition(".")[2]: (module.__doc__ or "").partition("\n")[0] for module in MODULES}
"""The families in display order, each with its module's first docstring line."""
