/** The distance between the sampled bytes. As a prime, it meets each offset of a repeated chunk. */
export const STEP = 4_099;

/** Adds a sampled byte at a position to a checksum. Its place counts, so that swapped bytes are found. */
export function sampleOf(sum: number, position: number, byte: number): number {
  return (sum + byte * ((position / STEP) % 65_521)) % 2 ** 40;
}

/** A body repeats these bytes. */
export const PATTERN = Buffer.from(Array.from({ length: 1024 ** 2 }, (_, at) => (at * 7 + (at >> 8)) % 251));

/** The number of bytes of a body, and a checksum of every so many bytes. */
export interface Measured {
  size: number;
  sample: number;
}

/** Measures a body while it arrives. */
export async function measure(body: AsyncIterable<Buffer>): Promise<Measured> {
  let size = 0;
  let sample = 0;
  for await (const chunk of body) {
    const first = (STEP - (size % STEP)) % STEP;
    for (let at = first; at < chunk.length; at += STEP) sample = sampleOf(sample, size + at, chunk[at]!);
    size += chunk.length;
  }
  return { size, sample };
}

/** Returns the measures of a body of the pattern. */
export function measuresOf(size: number): Measured {
  let sample = 0;
  for (let position = 0; position < size; position += STEP)
    sample = sampleOf(sample, position, PATTERN[position % PATTERN.length]!);
  return { size, sample };
}
