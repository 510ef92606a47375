import type { PageInfo, PageRequest } from '@parley/contracts/api'
import { countFitting } from './page-bytes.ts'

/** Decodes a page request; reads one row more than is shown, to know whether there is another page. */
export function pageOf(
  request: PageRequest | undefined,
  { defaultLimit, maxLimit }: { defaultLimit: number; maxLimit: number },
) {
  const limit = Math.min(request?.limit || defaultLimit, maxLimit)
  return { limit, wanted: limit + 1, offset: request?.offset ?? 0, cursor: request?.cursor ?? '' }
}

type List<T> = {
  limit: number
  total: bigint
  cursorOf: (row: T) => string
  /** Size of a row's text in bytes. Default: negligible. */
  bytesOf?: (row: T) => number
}

/** The rows to show, with their page information. */
export function shownOf<T>(
  rows: readonly T[],
  { limit, total, cursorOf, bytesOf = () => 0 }: List<T>,
): { shown: T[]; page: Pick<PageInfo, 'totalCount' | 'hasMore' | 'nextCursor'> } {
  const shown = rows.slice(0, countFitting(limit, rows.map(bytesOf)))
  const hasMore = rows.length > shown.length
  const last = shown.at(-1)
  return { shown, page: { totalCount: total, hasMore, nextCursor: hasMore && last ? cursorOf(last) : '' } }
}
