/** Entries scanned for a page: at most `scan`, and whether there is another one. */
export type Scanned<Entry> = {
  /**
   * The matching entries, newest first, as many as fit the page. `place` is the number of entries scanned up to this
   * one.
   */
  entries: (Entry & { sequence: bigint; place: number })[]
  /** Number of entries available for the scan, at most one more than `scan`. */
  count: number
  /** The last scanned entry; null if there is none. */
  oldest: bigint | null
}

export type LogPage<Entry> = {
  entries: Entry[]
  hasOlder: boolean
  endCursor?: string
  scannedCount: number
  scanLimited: boolean
}

export function toLogPage<Entry>(
  { entries, count, oldest }: Scanned<Entry>,
  limit: number,
  scan: number,
): LogPage<Entry> {
  const last = entries.at(-1)
  if (last && entries.length === limit) {
    const { place, sequence } = last
    return { entries, hasOlder: count > place, endCursor: String(sequence), scannedCount: place, scanLimited: false }
  }
  const scanLimited = count > scan
  const end = scanLimited ? oldest : (last?.sequence ?? oldest)
  return {
    entries,
    hasOlder: scanLimited,
    ...(end !== null && { endCursor: String(end) }),
    scannedCount: Math.min(count, scan),
    scanLimited,
  }
}
