class OpeningBook:
    """Replies to placements. Pickled as an object, so this module has to be found when it is read."""

    def __init__(self):
        self.replies = {}

    def add(self, occupied, reply):
        self.replies[frozenset(occupied)] = reply

    def lookup(self, game):
        blank = set(game.get_blank_spaces())
        everything = {(r, c) for r in range(game.height) for c in range(game.width)}
        reply = self.replies.get(frozenset(everything - blank))
        return reply if reply in blank else None
