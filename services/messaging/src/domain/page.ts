import type { PageInfo, PageRequest } from '@parley/contracts/api'
import { countFitting } from './page-bytes.ts'

/** `rowsToRead` is one more than `limit`, to know whether there is another page. */
export function readPageRequest(
  request: PageRequest | undefined,
  { defaultLimit, maxLimit }: { defaultLimit: number; maxLimit: number },
) {
  const limit = Math.min(request?.limit || defaultLimit, maxLimit)
  return { limit, rowsToRead: limit + 1, offset: request?.offset ?? 0, cursor: request?.cursor ?? '' }
}

type PageOptions<T> = {
  limit: number
  total: bigint
  cursorOf: (row: T) => string
  bytesOf?: (row: T) => number
}

export function cutPage<T>(
  rows: readonly T[],
  { limit, total, cursorOf, bytesOf = () => 0 }: PageOptions<T>,
): { shown: T[]; page: Pick<PageInfo, 'totalCount' | 'hasMore' | 'nextCursor'> } {
  const shown = rows.slice(0, countFitting(limit, rows.map(bytesOf)))
  const hasMore = rows.length > shown.length
  const last = shown.at(-1)
  return { shown, page: { totalCount: total, hasMore, nextCursor: hasMore && last ? cursorOf(last) : '' } }
}
