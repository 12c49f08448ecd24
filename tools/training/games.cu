// Games of players who search, by the hundred thousand, one a thread: some positions of each, with the move that was made
// there and whether its player won. That is what is known of positions past the solver's reach.
//
//   nvcc -O3 -arch=sm_90 -DROWS=9 -DCOLS=11 games.cu -o games        (g++ -x c++ -O2 makes the same for one core)
//   ./games SEED GAMES LEAST_BLANKS MOST_BLANKS SHARE 9x11-NAME.bin WORDS
//
// SHARE of the positions with that many blanks are kept, at most 32 of a game, none before its random opening is over. WORDS
// holds what `train.py` packs: both players look so far ahead with it, most of them nearly without noise. Once the solver sees
// the end, the game is over.
#include "record.cuh"
#include "searching.cuh"
#include "solving.cuh"

constexpr int PLIES = 2, MOST_KEPT = 32;
HD void play(const long long *net, u64 seed, u32 game, int least, int most, float keep, Position *out, u32 *length, u32 room, Frame *f, Entry *tt) {
  Rng r; r.s = mix(seed * 1000003ull + game);
  int a = draw(r, N), b = draw(r, N - 1); b += b >= a;
  Set blank = T.full - one(a) - one(b);
  int me = a, you = b, opening = draw(r, 6); opening = opening == 0 ? 0 : draw(r, 1 << (opening + 1));
  float heat[2]; // noise of each player, in log-odds
  for (int i = 0; i < 2; i++) { int k = draw(r, 4); heat[i] = k < 2 ? 0.02f : k == 2 ? 0.06f : 0.2f; }
  float slip = draw(r, 4) ? 0.0f : 0.01f;
  u32 kept[MOST_KEPT], many = 0;
  int winner = -1; // by the parity of its plies
  for (int ply = 0, tried = 0; winner < 0; ply++) {
    Set moves = KNIGHT[me] & blank;
    int n = count(moves), left = count(blank);
    if (n == 0) { winner = 1 - (ply & 1); break; }
    if (left <= 44 - 4 * tried) {
      int spent, v = solve(blank, me, you, 3000, f, tt, &spent); tried++;
      if (v != 0) { winner = v == 1 ? ply & 1 : 1 - (ply & 1); break; }
    }
    bool keeps = false;
    if (n > 1 && left <= most && left >= least && ply >= opening && many < MOST_KEPT && uniform(r) < keep) {
      u32 at = next(length);
      if (at < room) {
        out[at] = recorded(blank, me, you, game, ply); kept[many++] = at; keeps = true;
      }
    }
    int choice = -1; float best = -1e9f;
    bool any_move = ply < opening || uniform(r) < slip;
    while (any(moves)) {
      int s = lowest(moves); moves = moves - one(s);
      float v = any_move ? 0 : worth(net, blank, s, you, PLIES);
      v += (any_move ? 1.0f : heat[ply & 1]) * -logf(-logf(uniform(r)));
      if (v > best) best = v, choice = s;
    }
    if (keeps) for (int k = 0, to; k < 8; k++) if (legal_step(out[kept[many - 1]].blank, me, k, to) && to == choice) out[kept[many - 1]].legal = 1 << k;
    blank = blank - one(choice); int was = you; you = choice; me = was;
  }
  for (u32 i = 0; i < many; i++) { Position &p = out[kept[i]]; p.wins = (p.ply & 1) == winner ? p.legal : 0; }
}
#ifdef __CUDACC__
__global__ void __launch_bounds__(128) play_all(const long long *net, u64 seed, u32 first, u32 games, int least, int most, float keep, Position *out, u32 *counters, u32 room, Frame *frames, Entry *tts) {
  u64 id = blockIdx.x * blockDim.x + threadIdx.x;
  while (true) { u32 g = next(counters + 1); if (g >= games) return; play(net, seed, first + g, least, most, keep, out, counters, room, frames + id * DEPTH, tts + id * ENTRIES); }
}
#endif
int main(int argc, char **argv) {
  if (argc != 8) return fprintf(stderr, "expected SEED GAMES LEAST_BLANKS MOST_BLANKS SHARE OUT WORDS\n"), 2;
  u64 seed = atoll(argv[1]); u32 games = atoll(argv[2]), first = (u32)(seed * 100000000ull); int least = atoi(argv[3]), most = atoi(argv[4]); float keep = atof(argv[5]);
  u32 room = games * MOST_KEPT, n = 0; std::vector<Position> host;
  lay_tables();
  const long long *net = read_words(argv[7]);
  double t0 = clock() / (double)CLOCKS_PER_SEC;
#ifdef __CUDACC__
  Position *p; u32 *counters; cudaMalloc(&p, sizeof(Position) * (size_t)room); cudaMalloc(&counters, 8); cudaMemset(counters, 0, 8);
  int blocks = 132 * 8, threads = 128; Frame *frames; Entry *tts;
  cudaMalloc(&frames, sizeof(Frame) * (size_t)DEPTH * blocks * threads); cudaMalloc(&tts, sizeof(Entry) * (size_t)ENTRIES * blocks * threads);
  play_all<<<blocks, threads>>>(net, seed, first, games, least, most, keep, p, counters, room, frames, tts);
  cudaError_t e = cudaDeviceSynchronize(); if (e) fprintf(stderr, "error %s\n", cudaGetErrorString(e));
  cudaMemcpy(&n, counters, 4, cudaMemcpyDeviceToHost); n = std::min(n, room);
  host.resize(n); cudaMemcpy(host.data(), p, sizeof(Position) * (size_t)n, cudaMemcpyDeviceToHost);
#else
  std::vector<Frame> f(DEPTH); std::vector<Entry> tt(ENTRIES);
  host.resize(room); for (u32 g = 0; g < games; g++) play(net, seed, first + g, least, most, keep, host.data(), &n, room, f.data(), tt.data());
  n = std::min(n, room);
#endif
  FILE *o = fopen(argv[6], "wb"); fwrite(host.data(), sizeof(Position), n, o); fclose(o);
  fprintf(stderr, "%dx%d: %u positions of %u games, %.2f s\n", ROWS, COLS, n, games, clock() / (double)CLOCKS_PER_SEC - t0);
}
