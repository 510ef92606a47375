/** What was looked at for a page: at most `scan` entries, and whether there is one more. */
export type Scanned<Entry> = {
  /** Those that match, newest first, as many as the page has room for. `place` counts what was looked at up to there. */
  entries: (Entry & { sequence: bigint; place: number })[]
  /** How many entries there are to look at, at most one more than `scan`. */
  count: number
  /** The last of the `scan` entries; null when there is none. */
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
