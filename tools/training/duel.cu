// Weights against weights: games from random openings, each played with either side, by players who search to a fixed depth.
//
//   nvcc -O3 -arch=sm_90 -DROWS=9 -DCOLS=11 duel.cu -o duel
//   ./duel SEED PAIRS PLIES WORDS [WORDS]        the first against the second, or against `stealer`
#include "searching.cuh"
#include "solving.cuh"

constexpr int OPENING = 6;
// Whether the first wins; it begins where `swapped` is false.
HD bool duel(const long long *first, const long long *second, u64 seed, u32 pair, bool swapped, int plies, Frame *f, Entry *tt) {
  Rng r; r.s = mix(seed * 1000003ull + pair);
  int a = draw(r, N), b = draw(r, N - 1); b += b >= a;
  Set blank = T.full - one(a) - one(b);
  for (int ply = 0, me = a, you = b, tried = 0;; ply++) {
    Set moves = KNIGHT[me] & blank;
    bool firsts = ((ply & 1) == 0) != swapped;
    if (!any(moves)) return !firsts;
    if (count(blank) <= 40 - 4 * tried) {
      int spent, v = solve(blank, me, you, 3000, f, tt, &spent); tried++;
      if (v != 0) return (v == 1) == firsts;
    }
    int choice = -1; float best = -1e9f;
    while (any(moves)) {
      int s = lowest(moves); moves = moves - one(s);
      float v = ply < OPENING ? uniform(r) : -search(firsts ? first : second, blank - one(s), you, s, plies - 1, -2 * WON);
      if (v > best) best = v, choice = s;
    }
    blank = blank - one(choice); int was = you; you = choice; me = was;
  }
}
#ifdef __CUDACC__
__global__ void __launch_bounds__(128) duel_all(const long long *a, const long long *b, u64 seed, u32 pairs, int plies, u32 *counters, u8 *won, Frame *frames, Entry *tts) {
  u64 id = blockIdx.x * blockDim.x + threadIdx.x;
  while (true) { u32 g = next(counters); if (g >= 2 * pairs) return; won[g] = duel(a, b, seed, g >> 1, g & 1, plies, frames + id * DEPTH, tts + id * ENTRIES); }
}
#endif
int main(int argc, char **argv) {
  if (argc < 5) return fprintf(stderr, "expected SEED PAIRS PLIES WORDS [WORDS]\n"), 2;
  u64 seed = atoll(argv[1]); u32 pairs = atoll(argv[2]); int plies = atoi(argv[3]);
  lay_tables();
  const long long *a = read_words(argv[4]), *b = argc > 5 ? read_words(argv[5]) : nullptr;
  std::vector<u8> won(2 * pairs);
#ifdef __CUDACC__
  int blocks = 132 * 8, threads = 128; Frame *frames; Entry *tts; u32 *counters; u8 *there;
  cudaMalloc(&frames, sizeof(Frame) * (size_t)DEPTH * blocks * threads); cudaMalloc(&tts, sizeof(Entry) * (size_t)ENTRIES * blocks * threads);
  cudaMalloc(&counters, 4); cudaMemset(counters, 0, 4); cudaMalloc(&there, 2 * pairs);
  duel_all<<<blocks, threads>>>(a, b, seed, pairs, plies, counters, there, frames, tts);
  cudaError_t e = cudaDeviceSynchronize(); if (e) fprintf(stderr, "error %s\n", cudaGetErrorString(e));
  cudaMemcpy(won.data(), there, 2 * pairs, cudaMemcpyDeviceToHost);
#else
  std::vector<Frame> f(DEPTH); std::vector<Entry> tt(ENTRIES);
  for (u32 g = 0; g < 2 * pairs; g++) won[g] = duel(a, b, seed, g >> 1, g & 1, plies, f.data(), tt.data());
#endif
  double sum = 0, squares = 0;
  for (u32 i = 0; i < pairs; i++) { double p = (won[2 * i] + won[2 * i + 1]) / 2.0; sum += p; squares += p * p; }
  double mean = sum / pairs, error = 1.96 * sqrt((squares / pairs - mean * mean) / pairs);
  printf("%dx%d: %.2f%% +- %.2f of %u pairs at %d plies\n", ROWS, COLS, 100 * mean, 100 * error, pairs, plies);
}
