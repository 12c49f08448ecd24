// The heuristics `stealer` and `learned`, as Isolarium computes them.
#pragma once
#include "board.cuh"

// The heuristic `stealer` for the player on `own`, who is not to move: squares first at, and the moves among them.
HD int edges(Set a) {
  int n = 0;
  Set x = up(a, 1) & T.not_first, y = down(a, 1) & T.not_last, p = up(a, 2) & T.not_first2, q = down(a, 2) & T.not_last2;
  n += count(up(x, 2 * COLS) & a) + count(up(y, 2 * COLS) & a) + count(up(p, COLS) & a) + count(up(q, COLS) & a);
  return 2 * n;
}
HD float stealer_value(Set blank, int own, int opp) {
  Set first = one(opp), second = one(own), free = blank, o = none(), m = none();
  while (any(first | second)) {
    first = steps(first) & free; free = free - first; second = steps(second) & free; free = free - second;
    o = o | first; m = m | second;
  }
  return edges(m) - 0.5f * count(m) - edges(o) + 0.5f * count(o);
}
// The heuristic `learned` for the player on `waits`, who is not to move, from the words that `train.py` packs.
constexpr int ROW_WORDS = 8, LANES = 4, KINDS = 81, PARTS = 12, KNIGHTS = PARTS * KINDS, OFFSETS = KNIGHTS + 2 * KINDS,
              SIZES = OFFSETS + 169, MOST_SIZES = 24, OPINIONS = SIZES + 4 * MOST_SIZES, BIAS = 128, ONE = 64,
              ROLE_WORDS = OPINIONS * ROW_WORDS + ROW_WORDS * LANES;
HD int kind_of(int s, Set same, Set other) { return 9 * count(KNIGHT[s] & same) + count(KNIGHT[s] & other); }
HD int by_fours(Set a, Set b, Set c) { int n = count(a | b | c) / 4; return n < MOST_SIZES ? n : MOST_SIZES - 1; }
HD float learned_value(const long long *net, Set blank, int waits, int moves) {
  Set first = one(moves), second = one(waits), free = blank, part[PARTS];
  for (int i = 0; i < PARTS; i++) part[i] = none();
  for (int d = 1; any(first | second); d++) {
    first = steps(first) & free; free = free - first; second = steps(second) & free; free = free - second;
    int at = d <= 4 ? d - 1 : 5 - d % 2;
    part[at] = part[at] | second; part[6 + at] = part[6 + at] | first;
  }
  Set mine = none(), theirs = none();
  for (int i = 0; i < 6; i++) mine = mine | part[i], theirs = theirs | part[6 + i];
  int down = waits / COLS - moves / COLS, across = waits % COLS - moves % COLS;
  net += (down + across) % 2 == 0 ? ROLE_WORDS : 0;
  down = down < 0 ? -down : down; across = across < 0 ? -across : across;
  long long sums[ROW_WORDS] = {0, 0, 0, 0, 0, 0, 0, 0};
  int n = 0;
  for (int p = 0; p < PARTS; p++)
    for (Set area = part[p]; any(area); n++) {
      int s = lowest(area); area = area - one(s);
      const long long *row = net + (p * KINDS + (p < 6 ? kind_of(s, mine, theirs) : kind_of(s, theirs, mine))) * ROW_WORDS;
      for (int i = 0; i < ROW_WORDS; i++) sums[i] += row[i];
    }
  int rows[7] = {KNIGHTS + kind_of(waits, mine, theirs), KNIGHTS + KINDS + kind_of(moves, theirs, mine),
                 OFFSETS + 13 * (down < across ? down : across) + (down < across ? across : down),
                 SIZES + by_fours(part[0], part[2], part[4]), SIZES + MOST_SIZES + by_fours(part[1], part[3], part[5]),
                 SIZES + 2 * MOST_SIZES + by_fours(part[6], part[8], part[10]), SIZES + 3 * MOST_SIZES + by_fours(part[7], part[9], part[11])};
  for (int k = 0; k < 7; k++, n++) for (int i = 0; i < ROW_WORDS; i++) sums[i] += net[rows[k] * ROW_WORDS + i];
  const long long *opinions = net + OPINIONS * ROW_WORDS;
  long long total = ((sums[0] & 0xFFFF) - BIAS * n) * ONE * ONE;
  for (int i = 0; i < ROW_WORDS; i++) for (int l = 0; l < LANES; l++) {
    int said = (int)(sums[i] >> 16 * l & 0xFFFF) - BIAS * n;
    said = said < 0 ? 0 : said > ONE ? ONE : said;
    total += said * said * opinions[LANES * i + l];
  }
  return total / (float)(ONE * ONE * ONE);
}
// By weights where there are some, by `stealer` where there are none.
CALLED float value_of(const long long *net, Set blank, int waits, int moves) {
  return net ? learned_value(net, blank, waits, moves) : stealer_value(blank, waits, moves);
}
// The words of a file, where the threads that play can read them.
static const long long *read_words(const char *path) {
  std::vector<long long> words(2 * ROLE_WORDS);
  FILE *file = fopen(path, "rb");
  if (!file || fread(words.data(), 8, words.size(), file) != words.size()) { fprintf(stderr, "%s: no words of weights\n", path); exit(1); }
  fclose(file);
  long long *there;
#ifdef __CUDACC__
  cudaMalloc(&there, words.size() * 8); cudaMemcpy(there, words.data(), words.size() * 8, cudaMemcpyHostToDevice);
#else
  there = (long long *)malloc(words.size() * 8); memcpy(there, words.data(), words.size() * 8);
#endif
  return there;
}
