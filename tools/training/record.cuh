// What is written of a position: `features.py` reads it.
#pragma once
#include "board.cuh"

struct Position { u64 blank[3]; u32 game; u8 mover, other, legal, wins, ply, exact, pad[6]; };
HD Position recorded(Set blank, int me, int you, u32 game, int ply) {
  Position p; memset(&p, 0, sizeof p);
  for (int i = 0; i < W; i++) p.blank[i] = blank.w[i];
  p.game = game; p.mover = me; p.other = you; p.ply = ply;
  return p;
}
