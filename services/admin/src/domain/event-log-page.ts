export type Scanned<Entry> = {
  /**
   * The matching entries, newest first, as many as fit the page. `scanPosition` is the number of entries scanned up to
   * and including this one.
   */
  entries: (Entry & { sequence: bigint; scanPosition: number })[]
  /** Number of entries available for the scan, at most one more than `maxScanned`. */
  count: number
  /** Sequence of the last scanned entry; null if there is none. */
  oldest: bigint | null
}

export type LogPage<Entry> = {
  entries: Entry[]
  hasOlder: boolean
  /** Sequence below which the next page starts; undefined if nothing was scanned. */
  endCursor?: string
  scannedCount: number
  /** Whether the scan ended at its limit before the page was full. */
  scanLimited: boolean
}

export function toLogPage<Entry>(
  { entries, count, oldest }: Scanned<Entry>,
  limit: number,
  maxScanned: number,
): LogPage<Entry> {
  const last = entries.at(-1)
  if (last && entries.length === limit) {
    const { scanPosition, sequence } = last
    return {
      entries,
      hasOlder: count > scanPosition,
      endCursor: String(sequence),
      scannedCount: scanPosition,
      scanLimited: false,
    }
  }
  const scanLimited = count > maxScanned
  const end = scanLimited ? oldest : (last?.sequence ?? oldest)
  return {
    entries,
    hasOlder: scanLimited,
    ...(end !== null && { endCursor: String(end) }),
    scannedCount: Math.min(count, maxScanned),
    scanLimited,
  }
}
