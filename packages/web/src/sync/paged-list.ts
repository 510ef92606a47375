import type { PageInfo } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'

type Query = { search: string; cursor: string }
type Result<T> = { items: readonly T[]; page: PageInfo | undefined }

const pauseMs = 150

/** A list from the server that is searched and loaded page by page. Only the response to the newest query is used. */
export class PagedList<T> {
  readonly items = new Cell<readonly T[] | undefined>(undefined)
  /** Number of items on all pages. */
  readonly total = new Cell(0)
  readonly hasMore = new Cell(false)
  readonly failure = new Cell<unknown>(undefined)
  readonly #read: (query: Query) => Promise<Result<T>>
  readonly #keyOf: (item: T) => unknown
  #search = ''
  #cursor = ''
  #latestQuery = 0

  /** `keyOf` returns what identifies an item: a changed item may be on two pages, and is shown once. */
  constructor(read: (query: Query) => Promise<Result<T>>, keyOf: (item: T) => unknown) {
    this.#read = read
    this.#keyOf = keyOf
  }

  /**
   * Searches after a short pause. A newer search replaces this one; a call of `reload` or `more` during the pause does
   * the search at once. An empty search is not delayed.
   */
  async search(search: string): Promise<void> {
    const query = ++this.#latestQuery
    this.#search = search.trim()
    // The cursor belongs to the previous search.
    this.#cursor = ''
    if (search !== '') await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (query !== this.#latestQuery) return
    await this.#load('')
  }

  reload(): Promise<void> {
    return this.#load('')
  }

  more(): Promise<void> {
    return this.#load(this.#cursor)
  }

  async #load(cursor: string): Promise<void> {
    const query = ++this.#latestQuery
    this.failure.set(undefined)
    try {
      const { items, page } = await this.#read({ search: this.#search, cursor })
      if (query !== this.#latestQuery) return
      this.items.update((before = []) => (cursor === '' ? items : [...before, ...this.#newAmong(items, before)]))
      this.#cursor = page?.nextCursor ?? ''
      this.hasMore.set(this.#cursor !== '')
      this.total.set(Number(page?.totalCount ?? 0))
    } catch (thrown) {
      if (query === this.#latestQuery) this.failure.set(thrown)
    }
  }

  #newAmong(items: readonly T[], before: readonly T[]): T[] {
    const known = new Set(before.map(this.#keyOf))
    return items.filter((item) => !known.has(this.#keyOf(item)))
  }
}
