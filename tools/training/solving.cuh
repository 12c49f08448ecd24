// Who wins late positions, exactly.
#pragma once
#include "board.cuh"

// Walks of players who cannot meet: bounds of the longest.
HD int most_steps(Set region, int from) {
  int l = count(region & T.light), d = count(region) - l;
  int here = colour(from) ? d : l, there = colour(from) ? l : d;
  return there > here ? 2 * here + 1 : 2 * there;
}
HD int least_steps(Set region, int at) {
  int n = 0;
  while (true) {
    Set m = KNIGHT[at] & region;
    if (!any(m)) return n;
    int best = -1, fewest = 99;
    while (any(m)) {
      int s = lowest(m); m = m - one(s);
      int k = count(KNIGHT[s] & (region - one(s)));
      if (k == 0) k = 50;
      if (k < fewest) fewest = k, best = s;
    }
    at = best; region = region - one(at); n++;
  }
}

struct Frame { Set blank; u64 queue; int me, you; };
struct Entry { Set blank; u32 tag; };
constexpr int ENTRIES = 128;
// 1 the player to move wins, -1 it loses, 0 not known within the nodes
HD int solve(Set blank, int me, int you, int most, Frame *f, Entry *tt, int *spent) {
  int ply = 0, nodes = 0, won = 0;
  bool entering = true;
  for (int i = 0; i < ENTRIES; i++) tt[i].tag = 0;
  f[0].blank = blank; f[0].me = me; f[0].you = you;
  while (true) {
    Frame &n = f[ply];
    if (entering) {
      entering = false; won = 0; nodes++;
      if (nodes > most) { *spent = nodes; return 0; }
      Set b = n.blank; int m = n.me, y = n.you;
      Set moves = KNIGHT[m] & b, replies = KNIGHT[y] & b;
      bool stealer = colour(m) == colour(y);
      n.queue = 0;
      if (!any(moves)) won = -1;
      else if (count(replies) <= 1 && !any(replies - moves)) won = 1;
      else {
        if (stealer && ply > 0) {
          u64 h = m << 8 | y; for (int i = 0; i < W; i++) h = mix(h ^ b.w[i]);
          Entry &e = tt[h % ENTRIES];
          if ((e.tag & 0xffff) == (u32)(m << 8 | y) && e.tag >> 16 && same(e.blank, b)) won = (int)(e.tag >> 16) - 2;
        }
        if (won == 0) {
          int keys[8], slots = 0; // key << 8 | square + 1, smallest first
          while (any(moves)) {
            int s = lowest(moves); moves = moves - one(s);
            Set left = b - one(s), on = KNIGHT[s] & left;
            int own = count(on);
            if (own == 0 || (own == 1 && any(on & replies))) continue;
            Set a = one(s), o = one(y), ga = none(), go = none(), free = left;
            while (any(a | o)) {
              a = steps(a) & free; o = steps(o) & free;
              ga = ga | a; go = go | o; free = free - (a | o);
            }
            if (!any(ga & go) && !any(steps(ga) & go)) {
              int my_least = least_steps(ga, s), your_most = most_steps(go, y);
              if (my_least >= your_most) { won = 1; break; }
              int my_most = most_steps(ga, s), your_least = least_steps(go, y);
              if (my_most < your_least) continue;
            }
            int key = (stealer ? 8 * count(replies & left) : 0) - 4 * own + 2 * (count(go - ga) - count(ga - go));
            key = (key + 4096) << 8 | (s + 1);
            int p = slots++;
            while (p > 0 && keys[p - 1] > key) { keys[p] = keys[p - 1]; p--; }
            keys[p] = key;
          }
          if (won == 0) { u64 q = 0; for (int i = slots - 1; i >= 0; i--) q = q << 8 | (keys[i] & 255); n.queue = q; }
        }
      }
    }
    if (won == 0) {
      if (n.queue == 0) won = -1;
      else {
        int s = (int)(n.queue & 255) - 1; n.queue >>= 8;
        Frame &c = f[ply + 1];
        c.blank = n.blank - one(s); c.me = n.you; c.you = s;
        ply++; entering = true; continue;
      }
    }
    if (ply == 0) { *spent = nodes; return won; }
    if (colour(n.me) == colour(n.you)) {
      u64 h = n.me << 8 | n.you; for (int i = 0; i < W; i++) h = mix(h ^ n.blank.w[i]);
      Entry &e = tt[h % ENTRIES]; e.blank = n.blank; e.tag = (u32)(won + 2) << 16 | n.me << 8 | n.you;
    }
    ply--;
    won = won == -1 ? 1 : 0;
  }
}
