import type { PageInfo, PageRequest } from '@parley/contracts/api'

const limits = { defaultLimit: 50, maxLimit: 100 }

/** `wanted` is one row more than shown, to know whether there is another page. */
export function parsePageRequest(request: PageRequest | undefined) {
  const limit = Math.min(request?.limit || limits.defaultLimit, limits.maxLimit)
  return { limit, wanted: limit + 1, offset: request?.offset ?? 0, cursor: request?.cursor ?? '' }
}

export function toPage<T>(
  rows: readonly T[],
  { limit, total, cursorOf }: { limit: number; total: bigint; cursorOf: (row: T) => string },
): { shown: T[]; page: Pick<PageInfo, 'totalCount' | 'hasMore' | 'nextCursor'> } {
  const shown = rows.slice(0, limit)
  const hasMore = rows.length > limit
  const last = shown.at(-1)
  return { shown, page: { totalCount: total, hasMore, nextCursor: hasMore && last ? cursorOf(last) : '' } }
}
