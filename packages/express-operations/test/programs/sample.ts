/** The distance between the sampled bytes. As a prime, it meets each offset of a repeated chunk. */
export const STEP = 4_099;

/** Adds a sampled byte at a position to a checksum. Its place counts, so that swapped bytes are found. */
export function sampleOf(sum: number, position: number, byte: number): number {
  return (sum + byte * ((position / STEP) % 65_521)) % 2 ** 40;
}
