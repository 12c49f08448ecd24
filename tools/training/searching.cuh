// Plain alpha-beta to a fixed depth, moves ordered by the heuristic.
#pragma once
#include "values.cuh"

constexpr int MOST_PLIES = 10;
constexpr float WON = 100.0f; // more than any weights say
struct Node { Set blank; u64 queue; int me, you; float floor, beta, best; };
struct Ranked { u64 queue; int moves; }; // squares + 1, the best in the lowest byte
HD Ranked ranked(const long long *net, Set blank, int me, int you, bool order) {
  float values[8]; u8 squares[8]; Ranked r = {0, 0};
  for (Set moves = KNIGHT[me] & blank; any(moves);) {
    int s = lowest(moves), at = r.moves++; moves = moves - one(s);
    float v = order ? value_of(net, blank - one(s), s, you) : 0;
    for (; at > 0 && values[at - 1] < v; at--) values[at] = values[at - 1], squares[at] = squares[at - 1];
    values[at] = v; squares[at] = s + 1;
  }
  for (int i = r.moves - 1; i >= 0; i--) r.queue = r.queue << 8 | squares[i];
  return r;
}
HD void enter(const long long *net, Node &n, Set blank, int me, int you, float floor, float beta, int depth, int ply) {
  n.blank = blank; n.me = me; n.you = you; n.floor = floor; n.beta = beta; n.best = -2 * WON;
  Ranked r = ranked(net, blank, me, you, depth > 1); n.queue = r.queue;
  if (r.moves == 0) n.best = ply - WON;
}
// What the position is worth to the player on `me`, who is to move, at least one ply on; beyond WON - MOST_PLIES it is proven.
CALLED float search(const long long *net, Set blank, int me, int you, int depth, float floor) {
  Node nodes[MOST_PLIES];
  int ply = 0;
  enter(net, nodes[0], blank, me, you, floor, 2 * WON, depth, 0);
  while (true) {
    Node &n = nodes[ply];
    if (n.queue == 0 || n.best >= n.beta) {
      if (ply == 0) return n.best;
      float v = -n.best; ply--;
      if (v > nodes[ply].best) nodes[ply].best = v;
      continue;
    }
    int s = (int)(n.queue & 255) - 1; n.queue >>= 8;
    Set left = n.blank - one(s);
    if (depth - ply > 1) { ply++; enter(net, nodes[ply], left, n.you, s, -n.beta, -(n.best > n.floor ? n.best : n.floor), depth - ply, ply); continue; }
    float v = any(KNIGHT[n.you] & left) ? value_of(net, left, s, n.you) : WON - ply - 1;
    if (v > n.best) n.best = v;
  }
}
// What a move is worth to who makes it, so many plies on.
HD float worth(const long long *net, Set blank, int to, int you, int plies) {
  blank = blank - one(to);
  if (plies > 0) return -search(net, blank, you, to, plies, -2 * WON);
  return any(KNIGHT[you] & blank) ? value_of(net, blank, to, you) : WON;
}
