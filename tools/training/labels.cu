// Labelled positions by the million: games of players of one ply with noise, and every move of late positions solved
// exactly, one move a thread.
//
//   nvcc -O3 -arch=sm_90 -DROWS=9 -DCOLS=11 labels.cu -o labels        (g++ -x c++ -O2 makes the same for one core)
//   ./labels SEED GAMES LEAST_BLANKS MOST_BLANKS SHARE MOST_NODES 9x11-NAME.bin [WORDS]
//
// SHARE of the positions with that many blanks are kept; those of which all moves win, or none, one in six. WORDS holds
// what `train.py` packs: three players of four are then `learned`, the others `stealer`. A label is a proof: bounds
// decide between players who cannot meet, and where they do not, the search goes on.
#include "solving.cuh"
#include "values.cuh"
#include "record.cuh"

HD void play(const long long *net, u64 seed, u32 game, int least, int most, float keep, Position *out, u32 *length, u32 room) {
  Rng r; r.s = mix(seed * 1000003ull + game);
  int a = draw(r, N), b = draw(r, N - 1); b += b >= a;
  Set blank = T.full - one(a) - one(b);
  int me = a, you = b, opening = draw(r, 5); opening = opening == 0 ? 0 : draw(r, 1 << (opening + 1));
  float heat[2]; // noise of each player: none, a little, much
  for (int i = 0; i < 2; i++) { int k = draw(r, 4); heat[i] = k < 2 ? 0.5f : k == 2 ? 3.0f : 10.0f; }
  bool taught[2]; for (int i = 0; i < 2; i++) { taught[i] = draw(r, 4) > 0 && net; if (taught[i]) heat[i] *= 0.15f; }
  float slip = draw(r, 2) ? 0.0f : 0.08f;
  for (int ply = 0;; ply++) {
    Set moves = KNIGHT[me] & blank;
    int n = count(moves);
    if (n == 0) return;
    int left = count(blank);
    if (n > 1 && left <= most && left >= least && uniform(r) < keep) {
      u32 at = next(length);
      if (at < room) {
        out[at] = recorded(blank, me, you, game, ply);
      }
    }
    int choice = -1; float best = -1e9f;
    bool any_move = ply < opening || uniform(r) < slip;
    while (any(moves)) {
      int s = lowest(moves); moves = moves - one(s);
      float v = any_move ? 0 : value_of(taught[ply & 1] ? net : nullptr, blank - one(s), s, you);
      v += (any_move ? 1.0f : heat[ply & 1]) * -logf(-logf(uniform(r)));
      if (v > best) best = v, choice = s;
    }
    blank = blank - one(choice); int was = you; you = choice; me = was;
  }
}
// What the move in direction k of a position does: 0 there is none, 1 it loses, 2 it wins, 3 not known.
HD u8 label(const Position &p, int k, int most, Frame *f, Entry *tt) {
  int s, spent;
  if (!legal_step(p.blank, p.mover, k, s)) return 0;
  int v = solve(loaded(p.blank) - one(s), p.other, s, most, f, tt, &spent);
  return v == 0 ? 3 : v == 1 ? 1 : 2;
}
#ifdef __CUDACC__
__global__ void play_all(const long long *net, u64 seed, u32 first, u32 games, int least, int most, float keep, Position *out, u32 *length, u32 room) {
  for (u32 g = blockIdx.x * blockDim.x + threadIdx.x; g < games; g += gridDim.x * blockDim.x) play(net, seed, first + g, least, most, keep, out, length, room);
}
__global__ void __launch_bounds__(128, 6) label_all(Position *p, u8 *found, u32 n, u32 *done, int most, Frame *frames, Entry *tts) {
  u64 id = blockIdx.x * blockDim.x + threadIdx.x;
  while (true) { u32 i = next(done); if (i >= 8 * n) return; found[i] = label(p[i >> 3], i & 7, most, frames + id * DEPTH, tts + id * ENTRIES); }
}
#endif
int main(int argc, char **argv) { // seed games least most keep most_nodes out words
  u64 seed = atoll(argv[1]); u32 games = atoll(argv[2]); int least = atoi(argv[3]), most = atoi(argv[4]); float keep = atof(argv[5]); int nodes = atoi(argv[6]);
  u32 room = games * 40u, n = 0; std::vector<Position> host;
  lay_tables();
  const long long *net = argc > 8 ? read_words(argv[8]) : nullptr;
  double t0 = clock() / (double)CLOCKS_PER_SEC;
#ifdef __CUDACC__
  Position *p; u32 *counters; cudaMalloc(&p, sizeof(Position) * (size_t)room); cudaMalloc(&counters, 8); cudaMemset(counters, 0, 8);
  int blocks = 132 * 6, threads = 128; Frame *frames; Entry *tts;
  cudaMalloc(&frames, sizeof(Frame) * (size_t)DEPTH * blocks * threads); cudaMalloc(&tts, sizeof(Entry) * (size_t)ENTRIES * blocks * threads);
  play_all<<<blocks, threads>>>(net, seed, (u32)(seed * 100000000ull), games, least, most, keep, p, counters, room);
  cudaDeviceSynchronize(); cudaMemcpy(&n, counters, 4, cudaMemcpyDeviceToHost); n = std::min(n, room);
  double t1 = clock() / (double)CLOCKS_PER_SEC; fprintf(stderr, "%u positions, %.1f s\n", n, t1 - t0);
  u8 *found; cudaMalloc(&found, 8 * (size_t)n); std::vector<u8> results(8 * (size_t)n);
  label_all<<<blocks, threads>>>(p, found, n, counters + 1, nodes, frames, tts);
  cudaError_t e = cudaDeviceSynchronize(); if (e) fprintf(stderr, "error %s\n", cudaGetErrorString(e));
  cudaMemcpy(results.data(), found, 8 * (size_t)n, cudaMemcpyDeviceToHost);
  host.resize(n); cudaMemcpy(host.data(), p, sizeof(Position) * (size_t)n, cudaMemcpyDeviceToHost);
#else
  host.resize(room); for (u32 g = 0; g < games; g++) play(net, seed, (u32)(seed * 100000000ull) + g, least, most, keep, host.data(), &n, room);
  n = std::min(n, room); host.resize(n); double t1 = clock() / (double)CLOCKS_PER_SEC;
  std::vector<Frame> f(DEPTH); std::vector<Entry> tt(ENTRIES); std::vector<u8> results; for (auto &x : host) for (int k = 0; k < 8; k++) results.push_back(label(x, k, nodes, f.data(), tt.data()));
#endif
  double t2 = clock() / (double)CLOCKS_PER_SEC; u32 known = 0, decisive = 0;
  FILE *o = fopen(argv[7], "wb");
  for (u32 i = 0; i < n; i++) {
    Position &x = host[i]; bool unknown = false; x.exact = 1;
    for (int k = 0; k < 8; k++) { u8 v = results[8 * (size_t)i + k]; x.legal |= (v > 0) << k; x.wins |= (v == 2) << k; unknown |= v == 3; }
    if (unknown) continue;
    bool d = x.wins && x.wins != x.legal; known++; decisive += d;
    if (d || mix(x.game * 169ull + x.ply) % 6 == 0) fwrite(&x, sizeof x, 1, o);
  }
  fclose(o);
  fprintf(stderr, "%dx%d: %u positions, %u known, %u decisive; play %.2f s label %.2f s\n", ROWS, COLS, n, known, decisive, t1 - t0, t2 - t1);
}
