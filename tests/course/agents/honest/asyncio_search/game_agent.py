"""Coroutines for the branches, because we had them in another course."""

import asyncio


async def value(game, player, depth, time_left):
    await asyncio.sleep(0)
    moves = game.get_legal_moves()
    if not moves or depth == 0 or time_left() < 20:
        own = len(game.get_legal_moves(player))
        return own - 2 * len(game.get_legal_moves(game.get_opponent(player)))
    children = [value(game.forecast_move(m), player, depth - 1, time_left) for m in sorted(moves)]
    found = await asyncio.gather(*children)
    return max(found) if game.active_player is player else min(found)


class CustomPlayer:
    async def choose(self, game, time_left):
        moves = sorted(game.get_legal_moves())
        if len(moves) > 8:
            return moves[len(moves) // 3]
        values = []
        for m in moves:
            task = asyncio.ensure_future(value(game.forecast_move(m), self, 1, time_left))
            values.append(await asyncio.wait_for(task, timeout=60))
        return moves[values.index(max(values))]

    def get_move(self, game, time_left):
        if not game.get_legal_moves():
            return (-1, -1)
        return asyncio.run(self.choose(game, time_left))
