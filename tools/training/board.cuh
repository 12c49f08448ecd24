// A board of ROWS and COLS: sets of squares, the steps of knights, and random numbers.
#pragma once
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
#define TABLE __device__
#define CALLED __host__ __device__ __noinline__
#else
#define HD static inline
#define CONSTANT static
#define TABLE static
#define CALLED static
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
struct Tables { Set not_first, not_first2, not_last, not_last2, full, light; };
CONSTANT Tables T;
TABLE Set KNIGHT[N]; // the steps from each square: no constants, which threads at different squares would read in turn
HD Set steps(Set a) {
  Set x = (up(a, 1) & T.not_first) | (down(a, 1) & T.not_last), y = (up(a, 2) & T.not_first2) | (down(a, 2) & T.not_last2);
  return up(x, 2 * COLS) | down(x, 2 * COLS) | up(y, COLS) | down(y, COLS);
}
HD int colour(int s) { return (s / COLS + s % COLS) & 1; }
HD u64 mix(u64 x) { x ^= x >> 31; x *= 0x7fb5d329728ea185ull; x ^= x >> 27; x *= 0x81dadef4bc2dd44dull; x ^= x >> 33; return x; }
struct Rng { u64 s; };
HD u32 draw(Rng &r, u32 below) { r.s += 0x9e3779b97f4a7c15ull; return (u32)((mix(r.s) >> 32) * below >> 32); }
HD float uniform(Rng &r) { r.s += 0x9e3779b97f4a7c15ull; return ((mix(r.s) >> 40) + 0.5f) / 16777216.0f; }
static void lay_tables() {
  Tables t; memset(&t, 0, sizeof t);
  Set knight[N]; memset(knight, 0, sizeof knight);
  auto add = [](Set &s, int i) { s.w[i >> 6] |= 1ull << (i & 63); };
  for (int i = 0; i < N; i++) {
    int r = i / COLS, c = i % COLS; add(t.full, i);
    if (c >= 1) add(t.not_first, i);
    if (c >= 2) add(t.not_first2, i);
    if (c < COLS - 1) add(t.not_last, i);
    if (c < COLS - 2) add(t.not_last2, i);
    if ((r + c) % 2 == 0) add(t.light, i);
    for (int dr = -2; dr <= 2; dr++) for (int dc = -2; dc <= 2; dc++) if (abs(dr * dc) == 2) {
      int rr = r + dr, cc = c + dc; if (rr >= 0 && rr < ROWS && cc >= 0 && cc < COLS) add(knight[i], rr * COLS + cc); }
  }
#ifdef __CUDACC__
  cudaMemcpyToSymbol(T, &t, sizeof t); cudaMemcpyToSymbol(KNIGHT, knight, sizeof knight);
#else
  T = t; memcpy(KNIGHT, knight, sizeof knight);
#endif
}
HD u32 next(u32 *counter) { // counts on, and says where it stood
#ifdef __CUDA_ARCH__
  return atomicAdd(counter, 1u);
#else
  return (*counter)++;
#endif
}
HD bool legal_step(const u64 *blank, int from, int direction, int &to) {
  const int dr[8] = {-2, -2, -1, -1, 1, 1, 2, 2}, dc[8] = {-1, 1, -2, 2, -2, 2, -1, 1};
  int r = from / COLS + dr[direction], c = from % COLS + dc[direction]; to = r * COLS + c;
  return r >= 0 && r < ROWS && c >= 0 && c < COLS && (blank[to >> 6] >> (to & 63) & 1);
}
HD Set loaded(const u64 *blank) { Set s; for (int i = 0; i < W; i++) s.w[i] = blank[i]; return s; }
