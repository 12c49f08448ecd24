// Seeds of searches, and choices by a seed, as `isolarium.search.random` draws them.

const WORD = (1n << 64n) - 1n;

/** A number below 2**62 that depends on every bit of the seed and the stream: SplitMix64. */
export function mixedSeed(seed, stream) {
  let word = (BigInt(seed) + 0x9e3779b97f4a7c15n * BigInt(stream + 1)) & WORD;
  word = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
  word = ((word ^ (word >> 27n)) * 0x94d049bb133111ebn) & WORD;
  return (word ^ (word >> 31n)) >> 2n;
}

/** One of several equally good things; the first without a seed. */
export const chooseByIndex = (all, seed, stream) =>
  all[seed === null ? 0 : Number(mixedSeed(seed, stream) % BigInt(all.length))];
