import type { PageInfo, PageRequest } from '@parley/contracts/api'

const limits = { usual: 50, most: 100 }

/** What a page request asks for; one row more than is shown tells whether there are others. */
export function pageOf(request: PageRequest | undefined) {
  const limit = Math.min(request?.limit || limits.usual, limits.most)
  return { limit, wanted: limit + 1, offset: request?.offset ?? 0, cursor: request?.cursor ?? '' }
}

/** The rows to show of those read, and where they stand in the list. */
export function shownOf<T>(
  rows: readonly T[],
  { limit, total, cursorOf }: { limit: number; total: bigint; cursorOf: (row: T) => string },
): { shown: T[]; page: Pick<PageInfo, 'totalCount' | 'hasMore' | 'nextCursor'> } {
  const shown = rows.slice(0, limit)
  const hasMore = rows.length > limit
  const last = shown.at(-1)
  return { shown, page: { totalCount: total, hasMore, nextCursor: hasMore && last ? cursorOf(last) : '' } }
}
