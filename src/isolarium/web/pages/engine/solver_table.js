// The size of the solver's table.

/** The binary logarithm of the number of entries for a position with so many blanks. */
export function tableBits(blanks, { MANY_BLANKS, MOST_BITS, LEAST_BITS }) {
  return blanks > MANY_BLANKS ? MOST_BITS : LEAST_BITS;
}
