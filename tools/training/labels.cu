// Labelled positions by the million: games of players of one ply with noise, and every move of late positions solved
// exactly, one move a thread. Past the solver's reach, how often the mover wins when such players go on from there.
//
//   nvcc -O3 -arch=sm_90 -DROWS=9 -DCOLS=11 labels.cu -o labels        (g++ -x c++ -O2 makes the same for one core)
//   ./labels SEED GAMES LEAST_BLANKS MOST_BLANKS SHARE MOST_NODES 9x11-NAME.bin [WORDS]
//
// SHARE of the positions with that many blanks are kept; those of which all moves win, or none, one in six. MOST_NODES 0
// asks for outcomes. WORDS holds what `read_weights` packs: three players of four are then `learned`, the others `stealer`.
// A label is a proof: bounds decide between players who cannot meet, and where they do not, the search goes on.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
#include <ctime>
#include <cmath>
typedef uint64_t u64; typedef uint32_t u32; typedef uint8_t u8;
#ifdef __CUDACC__
#define HD __host__ __device__ __forceinline__
#define CONSTANT __constant__
#else
#define HD static inline
#define CONSTANT static
#endif
constexpr int N = ROWS * COLS, W = (N + 63) / 64, DEPTH = 100;
struct Set { u64 w[W]; };
HD int popc(u64 x) {
#ifdef __CUDA_ARCH__
  return __popcll(x);
#else
  return __builtin_popcountll(x);
#endif
}
HD int ctz(u64 x) {
#ifdef __CUDA_ARCH__
  return __ffsll((long long)x) - 1;
#else
  return __builtin_ctzll(x);
#endif
}
HD Set operator&(Set a, Set b) { for (int i = 0; i < W; i++) a.w[i] &= b.w[i]; return a; }
HD Set operator|(Set a, Set b) { for (int i = 0; i < W; i++) a.w[i] |= b.w[i]; return a; }
HD Set operator-(Set a, Set b) { for (int i = 0; i < W; i++) a.w[i] &= ~b.w[i]; return a; }
HD bool any(Set a) { u64 x = 0; for (int i = 0; i < W; i++) x |= a.w[i]; return x != 0; }
HD bool same(Set a, Set b) { u64 x = 0; for (int i = 0; i < W; i++) x |= a.w[i] ^ b.w[i]; return x == 0; }
HD int count(Set a) { int c = 0; for (int i = 0; i < W; i++) c += popc(a.w[i]); return c; }
HD Set none() { Set a; for (int i = 0; i < W; i++) a.w[i] = 0; return a; }
HD Set one(int s) { Set a; for (int i = 0; i < W; i++) a.w[i] = (s >> 6) == i ? 1ull << (s & 63) : 0; return a; }
HD int lowest(Set a) { for (int i = 0; i < W; i++) if (a.w[i]) return i * 64 + ctz(a.w[i]); return -1; }
HD Set up(Set a, int n) { Set r; for (int i = 0; i < W; i++) r.w[i] = a.w[i] << n | (i ? a.w[i - 1] >> (64 - n) : 0); return r; }
HD Set down(Set a, int n) { Set r; for (int i = 0; i < W; i++) r.w[i] = a.w[i] >> n | (i + 1 < W ? a.w[i + 1] << (64 - n) : 0); return r; }
struct Tables { Set not_first, not_first2, not_last, not_last2, full, light, knight[N]; };
CONSTANT Tables T;
HD Set steps(Set a) {
  Set x = (up(a, 1) & T.not_first) | (down(a, 1) & T.not_last), y = (up(a, 2) & T.not_first2) | (down(a, 2) & T.not_last2);
  return up(x, 2 * COLS) | down(x, 2 * COLS) | up(y, COLS) | down(y, COLS);
}
HD int colour(int s) { return (s / COLS + s % COLS) & 1; }
HD u64 mix(u64 x) { x ^= x >> 31; x *= 0x7fb5d329728ea185ull; x ^= x >> 27; x *= 0x81dadef4bc2dd44dull; x ^= x >> 33; return x; }
struct Rng { u64 s; };
HD u32 draw(Rng &r, u32 below) { r.s += 0x9e3779b97f4a7c15ull; return (u32)((mix(r.s) >> 32) * below >> 32); }
HD float uniform(Rng &r) { r.s += 0x9e3779b97f4a7c15ull; return ((mix(r.s) >> 40) + 0.5f) / 16777216.0f; }

// Walks of players who cannot meet: bounds of the longest.
HD int most_steps(Set region, int from) {
  int l = count(region & T.light), d = count(region) - l;
  int here = colour(from) ? d : l, there = colour(from) ? l : d;
  return there > here ? 2 * here + 1 : 2 * there;
}
HD int least_steps(Set region, int at) {
  int n = 0;
  while (true) {
    Set m = T.knight[at] & region;
    if (!any(m)) return n;
    int best = -1, fewest = 99;
    while (any(m)) {
      int s = lowest(m); m = m - one(s);
      int k = count(T.knight[s] & (region - one(s)));
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
      Set moves = T.knight[m] & b, replies = T.knight[y] & b;
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
            Set left = b - one(s), on = T.knight[s] & left;
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
// The heuristic `learned` for the player on `waits`, who is not to move, from the words that `read_weights` packs.
constexpr int ROW_WORDS = 8, LANES = 4, KINDS = 81, PARTS = 12, KNIGHTS = PARTS * KINDS, OFFSETS = KNIGHTS + 2 * KINDS,
              SIZES = OFFSETS + 169, MOST_SIZES = 24, OPINIONS = SIZES + 4 * MOST_SIZES, BIAS = 128, ONE = 64,
              ROLE_WORDS = OPINIONS * ROW_WORDS + ROW_WORDS * LANES;
#ifdef __CUDACC__
__constant__ const long long *NET; // none: `stealer` in its place
#else
static const long long *NET;
#endif
HD int kind_of(int s, Set same, Set other) { return 9 * count(T.knight[s] & same) + count(T.knight[s] & other); }
HD int by_fours(Set a, Set b, Set c) { int n = count(a | b | c) / 4; return n < MOST_SIZES ? n : MOST_SIZES - 1; }
HD float learned_value(Set blank, int waits, int moves) {
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
  const long long *net = NET + ((down + across) % 2 == 0 ? ROLE_WORDS : 0);
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
struct Position { u64 blank[3]; u32 game; u8 mover, other, legal, wins, unknown, ply, exact, pad, won[8], pad2[4]; };
constexpr int ROLLOUTS = 16;
HD void play(u64 seed, u32 game, int least, int most, float keep, Position *out, u32 *length, u32 room) {
  Rng r; r.s = mix(seed * 1000003ull + game);
  int a = draw(r, N), b = draw(r, N - 1); b += b >= a;
  Set blank = T.full - one(a) - one(b);
  int me = a, you = b, opening = draw(r, 5); opening = opening == 0 ? 0 : draw(r, 1 << (opening + 1));
  float heat[2]; // noise of each player: none, a little, much
  for (int i = 0; i < 2; i++) { int k = draw(r, 4); heat[i] = k < 2 ? 0.5f : k == 2 ? 3.0f : 10.0f; }
  bool taught[2]; for (int i = 0; i < 2; i++) { taught[i] = draw(r, 4) > 0 && NET; if (taught[i]) heat[i] *= 0.15f; }
  float slip = draw(r, 2) ? 0.0f : 0.08f;
  for (int ply = 0;; ply++) {
    Set moves = T.knight[me] & blank;
    int n = count(moves);
    if (n == 0) return;
    int left = count(blank);
    if (n > 1 && left <= most && left >= least && uniform(r) < keep) {
#ifdef __CUDA_ARCH__
      u32 at = atomicAdd(length, 1u);
#else
      u32 at = (*length)++;
#endif
      if (at < room) {
        Position p; for (int i = 0; i < 3; i++) p.blank[i] = i < W ? blank.w[i] : 0;
        p.game = game; p.mover = me; p.other = you; p.legal = p.wins = p.unknown = 0; p.ply = ply; out[at] = p;
      }
    }
    int choice = -1; float best = -1e9f;
    bool any_move = ply < opening || uniform(r) < slip;
    while (any(moves)) {
      int s = lowest(moves); moves = moves - one(s);
      float v = any_move ? 0 : taught[ply & 1] ? learned_value(blank - one(s), s, you) : stealer_value(blank - one(s), s, you);
      v += (any_move ? 1.0f : heat[ply & 1]) * -logf(-logf(uniform(r)));
      if (v > best) best = v, choice = s;
    }
    blank = blank - one(choice); int was = you; you = choice; me = was;
  }
}
// What the move in direction k of a position does: 0 there is none, 1 it loses, 2 it wins, 3 not known.
HD u8 label(const Position &p, int k, int most, Frame *f, Entry *tt) {
  const int dr[8] = {-2, -2, -1, -1, 1, 1, 2, 2}, dc[8] = {-1, 1, -2, 2, -2, 2, -1, 1};
  int r = p.mover / COLS + dr[k], c = p.mover % COLS + dc[k], s = r * COLS + c, spent;
  if (r < 0 || r >= ROWS || c < 0 || c >= COLS || !(p.blank[s >> 6] >> (s & 63) & 1)) return 0;
  Set blank; for (int i = 0; i < W; i++) blank.w[i] = p.blank[i];
  int v = solve(blank - one(s), p.other, s, most, f, tt, &spent);
  return v == 0 ? 3 : v == 1 ? 1 : 2;
}
HD bool legal_step(const Position &p, int k, int &s) {
  const int dr[8] = {-2, -2, -1, -1, 1, 1, 2, 2}, dc[8] = {-1, 1, -2, 2, -2, 2, -1, 1};
  int r = p.mover / COLS + dr[k], c = p.mover % COLS + dc[k]; s = r * COLS + c;
  return r >= 0 && r < ROWS && c >= 0 && c < COLS && (p.blank[s >> 6] >> (s & 63) & 1);
}
// How often the mover wins after a step when both go on as players of one ply with little noise; solved once few blanks are left.
HD u8 outcomes(const Position &p, int k, u64 seed, Frame *f, Entry *tt) {
  int to; if (!legal_step(p, k, to)) return 255;
  Rng r; r.s = mix(seed * 77777ull + (u64)p.game * 1000ull + p.ply * 8 + k);
  int won = 0;
  for (int i = 0; i < ROLLOUTS; i++) {
    Set blank; for (int j = 0; j < W; j++) blank.w[j] = p.blank[j];
    blank = blank - one(to);
    int me = p.other, you = to, mine = 0, tried = 0; // mine: whether p.mover is to move
    while (true) {
      Set moves = T.knight[me] & blank;
      if (!any(moves)) break;
      int left = count(blank);
      if (left <= 40 && tried < 3 && left <= 40 - 6 * tried) {
        int spent; tried++;
        int v = solve(blank, me, you, 1500, f, tt, &spent);
        if (v == -1) break;
        if (v == 1) { mine ^= 1; break; }
      }
      int choice = -1; float best = -1e9f;
      while (any(moves)) {
        int s = lowest(moves); moves = moves - one(s);
        float noise = -logf(-logf(uniform(r)));
        float v = NET ? learned_value(blank - one(s), s, you) + 0.2f * noise : stealer_value(blank - one(s), s, you) + noise;
        if (v > best) best = v, choice = s;
      }
      blank = blank - one(choice); int was = you; you = choice; me = was; mine ^= 1;
    }
    won += !mine; // who is to move there has lost
  }
  return won;
}
#ifdef __CUDACC__
__global__ void play_all(u64 seed, u32 first, u32 games, int least, int most, float keep, Position *out, u32 *length, u32 room) {
  for (u32 g = blockIdx.x * blockDim.x + threadIdx.x; g < games; g += gridDim.x * blockDim.x) play(seed, first + g, least, most, keep, out, length, room);
}
__global__ void __launch_bounds__(128, 6) label_all(Position *p, u8 *found, u32 n, u32 *next, int most, Frame *frames, Entry *tts, int exact, u64 seed) {
  u64 id = blockIdx.x * blockDim.x + threadIdx.x;
  Frame *f = frames + id * DEPTH; Entry *tt = tts + id * ENTRIES;
  while (true) { u32 i = atomicAdd(next, 1u); if (i >= 8 * n) return; found[i] = exact ? label(p[i >> 3], i & 7, most, f, tt) : outcomes(p[i >> 3], i & 7, seed, f, tt); }
}
#endif
static Tables make() {
  Tables t; memset(&t, 0, sizeof t);
  auto add = [](Set &s, int i) { s.w[i >> 6] |= 1ull << (i & 63); };
  for (int i = 0; i < N; i++) {
    int r = i / COLS, c = i % COLS; add(t.full, i);
    if (c >= 1) add(t.not_first, i); if (c >= 2) add(t.not_first2, i);
    if (c < COLS - 1) add(t.not_last, i); if (c < COLS - 2) add(t.not_last2, i);
    if ((r + c) % 2 == 0) add(t.light, i);
    for (int dr = -2; dr <= 2; dr++) for (int dc = -2; dc <= 2; dc++) if (abs(dr * dc) == 2) {
      int rr = r + dr, cc = c + dc; if (rr >= 0 && rr < ROWS && cc >= 0 && cc < COLS) add(t.knight[i], rr * COLS + cc); }
  }
  return t;
}
int main(int argc, char **argv) { // seed games least most keep most_nodes out
  u64 seed = atoll(argv[1]); u32 games = atoll(argv[2]); int least = atoi(argv[3]), most = atoi(argv[4]); float keep = atof(argv[5]); int nodes = atoi(argv[6]), exact = nodes > 0;
  Tables t = make(); u32 room = games * 40u, n = 0; std::vector<Position> host;
  std::vector<long long> net;
  if (argc > 8) {
    FILE *file = fopen(argv[8], "rb"); net.resize(2 * ROLE_WORDS);
    if (!file || fread(net.data(), 8, net.size(), file) != net.size()) { fprintf(stderr, "%s: no words of weights\n", argv[8]); return 1; }
    fclose(file);
  }
  double t0 = clock() / (double)CLOCKS_PER_SEC;
#ifdef __CUDACC__
  cudaMemcpyToSymbol(T, &t, sizeof t); long long *words = nullptr;
  if (!net.empty()) { cudaMalloc(&words, net.size() * 8); cudaMemcpy(words, net.data(), net.size() * 8, cudaMemcpyHostToDevice); }
  cudaMemcpyToSymbol(NET, &words, sizeof words);
  Position *p; u32 *counters; cudaMalloc(&p, sizeof(Position) * (size_t)room); cudaMalloc(&counters, 8); cudaMemset(counters, 0, 8);
  int blocks = 132 * 6, threads = 128; Frame *frames; Entry *tts;
  cudaMalloc(&frames, sizeof(Frame) * (size_t)DEPTH * blocks * threads); cudaMalloc(&tts, sizeof(Entry) * (size_t)ENTRIES * blocks * threads);
  play_all<<<blocks, threads>>>(seed, (u32)(seed * 100000000ull), games, least, most, keep, p, counters, room);
  cudaDeviceSynchronize(); cudaMemcpy(&n, counters, 4, cudaMemcpyDeviceToHost); n = std::min(n, room);
  double t1 = clock() / (double)CLOCKS_PER_SEC; fprintf(stderr, "%u positions, %.1f s\n", n, t1 - t0);
  u8 *found; cudaMalloc(&found, 8 * (size_t)n); std::vector<u8> results(8 * (size_t)n);
  label_all<<<blocks, threads>>>(p, found, n, counters + 1, nodes, frames, tts, exact, seed);
  cudaError_t e = cudaDeviceSynchronize(); if (e) fprintf(stderr, "error %s\n", cudaGetErrorString(e));
  cudaMemcpy(results.data(), found, 8 * (size_t)n, cudaMemcpyDeviceToHost);
  host.resize(n); cudaMemcpy(host.data(), p, sizeof(Position) * (size_t)n, cudaMemcpyDeviceToHost);
#else
  T = t; NET = net.empty() ? nullptr : net.data(); host.resize(room); for (u32 g = 0; g < games; g++) play(seed, (u32)(seed * 100000000ull) + g, least, most, keep, host.data(), &n, room);
  n = std::min(n, room); host.resize(n); double t1 = clock() / (double)CLOCKS_PER_SEC;
  std::vector<Frame> f(DEPTH); std::vector<Entry> tt(ENTRIES); std::vector<u8> results; for (auto &x : host) for (int k = 0; k < 8; k++) results.push_back(exact ? label(x, k, nodes, f.data(), tt.data()) : outcomes(x, k, seed, f.data(), tt.data()));
#endif
  double t2 = clock() / (double)CLOCKS_PER_SEC; u32 known = 0, decisive = 0;
  for (u32 i = 0; i < n; i++) { Position &x = host[i]; x.exact = exact; for (int k = 0; k < 8; k++) {
    u8 v = results[8 * (size_t)i + k]; x.won[k] = 0;
    if (exact) x.legal |= (v > 0) << k, x.wins |= (v == 2) << k, x.unknown |= (v == 3) << k;
    else if (v != 255) x.legal |= 1 << k, x.won[k] = v; } }
  FILE *o = fopen(argv[7], "wb");
  for (auto &x : host) if (!x.unknown) {
    known++; bool d = exact && x.wins && x.wins != x.legal; decisive += d;
    if (d || !exact || mix(x.game * 169ull + x.ply) % 6 == 0) fwrite(&x, sizeof x, 1, o); }
  fclose(o);
  fprintf(stderr, "%dx%d: %u positions, %u known, %u decisive; play %.2f s label %.2f s\n", ROWS, COLS, n, known, decisive, t1 - t0, t2 - t1);
}
