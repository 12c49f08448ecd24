"""Packs what the three of us share into lib.zip."""

import zipfile

SHARED = '''"""Shared between our three agents."""


def fewest_replies(game, move):
    child = game.forecast_move(move)
    return len(child.get_legal_moves()), -len(child.get_legal_moves(child.inactive_player)), move
'''

if __name__ == "__main__":
    with zipfile.ZipFile("lib.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("teamlib/__init__.py", ""), ("teamlib/shared.py", SHARED)):
            archive.writestr(zipfile.ZipInfo(name, (2017, 5, 3, 0, 0, 0)), text)
