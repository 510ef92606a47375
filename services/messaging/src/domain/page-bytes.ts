/** The text that a page shows at most, in bytes; one row it shows whatever its size. */
export const pageBytes = 256 * 1024

/** How many rows, of these sizes in bytes, from the first on make a page of up to `limit`. */
export function countFitting(limit: number, sizes: readonly number[]): number {
  let left = pageBytes
  const tooMuch = sizes.findIndex((bytes, index) => {
    left -= bytes
    return index >= limit || (left < 0 && index > 0)
  })
  return tooMuch < 0 ? sizes.length : tooMuch
}
