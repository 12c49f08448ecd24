/* Alpha-beta as one writes it in C: what Isolarium's is compared with (against_c.py).

   Recursive, with a knight's targets in a table, sets of squares in one word or two (-DWORDS=2), `improved` by
   population counts, and one ply deeper after the other. It finds the value and counts the positions entered; a
   principal variation it does not keep, a heuristic or a limit it does not take, and it cannot be interrupted. Leaves
   are scored by the node above them: in a function of their own they took longer. */

#include <stdint.h>

#if WORDS == 1
typedef uint64_t Set;
static int count(Set set) { return __builtin_popcountll(set); }
static int lowest(Set set) { return __builtin_ctzll(set); }
#else
typedef unsigned __int128 Set;
static int count(Set set) {
    return __builtin_popcountll((uint64_t)set) + __builtin_popcountll((uint64_t)(set >> 64));
}
static int lowest(Set set) {
    return (uint64_t)set ? __builtin_ctzll((uint64_t)set) : 64 + __builtin_ctzll((uint64_t)(set >> 64));
}
#endif

enum { MOST_SQUARES = 64 * WORDS, WIN = 1000000 };

static Set knight[MOST_SQUARES];
static long nodes;

/* The value for the player to move, who has these moves, against the player on `other`. */
static int value_of(Set blank, Set moves, int other, int alpha, int beta, int depth, int ply) {
    Set replies = knight[other];
    int best = -WIN;
    while (moves) {
        int square = lowest(moves);
        moves &= moves - 1;
        nodes++;
        Set left = blank & ~((Set)1 << square), next = replies & left;
        int value;
        if (!next)
            value = WIN - (ply + 1);
        else if (depth == 1)
            value = count(knight[square] & left) - count(next);
        else
            value = -value_of(left, next, square, -beta, -alpha, depth - 1, ply + 1);
        if (value > best) {
            best = value;
            if (value > alpha) {
                alpha = value;
                if (alpha >= beta) break;
            }
        }
    }
    return best;
}

static Set joined(const uint64_t *words) {
    Set set = words[0];
#if WORDS == 2
    set |= (Set)words[1] << 64;
#endif
    return set;
}

/* Set the knight's targets of every square. */
void prepare(const uint64_t *targets, int squares) {
    for (int i = 0; i < squares; i++) knight[i] = joined(targets + WORDS * i);
}

/* Search to every depth up to `depth`, unless one of them proves who wins; how many positions were entered. */
long search(const uint64_t *blank_words, int mover, int other, int depth) {
    Set blank = joined(blank_words);
    nodes = 0;
    for (int d = 1; d <= depth; d++) {
        nodes++;
        int value = value_of(blank, knight[mover] & blank, other, -WIN, WIN, d, 0);
        if (value > WIN / 2 || value < -WIN / 2) break;
    }
    return nodes;
}
