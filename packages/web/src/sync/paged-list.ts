import type { PageInfo } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'

type Query = { search: string; cursor: string }
type Result<T> = { items: readonly T[]; page: PageInfo | undefined }

const pauseMs = 150

/** A list from the server that is searched and loaded page by page. Only the response to the newest query is used. */
export class PagedList<T> {
  /** Undefined until the first response. */
  readonly items = new Cell<readonly T[] | undefined>(undefined)
  /** Number of items on all pages. */
  readonly total = new Cell(0)
  readonly hasMore = new Cell(false)
  /** Why the list could not be read. */
  readonly failure = new Cell<unknown>(undefined)
  readonly #read: (query: Query) => Promise<Result<T>>
  #search = ''
  #cursor = ''
  #latestQuery = 0

  constructor(read: (query: Query) => Promise<Result<T>>) {
    this.#read = read
  }

  /** Searches after a short pause, unless another request begins meanwhile. An empty search is not delayed. */
  async search(search: string): Promise<void> {
    const query = ++this.#latestQuery
    if (search !== '') await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (query !== this.#latestQuery) return
    this.#search = search.trim()
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
      this.items.update((before = []) => (cursor === '' ? items : [...before, ...items]))
      this.#cursor = page?.nextCursor ?? ''
      this.hasMore.set(this.#cursor !== '')
      this.total.set(Number(page?.totalCount ?? 0))
    } catch (thrown) {
      if (query === this.#latestQuery) this.failure.set(thrown)
    }
  }
}
