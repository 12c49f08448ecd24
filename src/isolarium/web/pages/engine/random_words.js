// Random numbers as isolarium/search/random.py derives them from a seed.

const MASK = (1n << 64n) - 1n;

/** A number below 2**62, a BigInt, that depends on every bit of seed and stream. */
export function mixedSeed(seed, stream) {
  let word = (BigInt(seed) + 0x9e3779b97f4a7c15n * (BigInt(stream) + 1n)) & MASK;
  word = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  word = ((word ^ (word >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return (word ^ (word >> 31n)) >> 2n;
}
