import type { Message, RoomTimelinePage } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import {
  endCursorOf,
  isFull,
  rowsAbout,
  startCursorOf,
  type TimelineWindow,
  windowOf,
  withMessages,
  withNewer,
  withOlder,
  withoutAttachment,
  withoutAuthor,
  withRetracted,
} from '../store/timeline-window.ts'
import { isPermanent, retryMs } from './failures.ts'

export type TimelineSource = {
  /** `limit` 0 or undefined: the server's default. */
  read(cursor?: { case: 'before' | 'after'; value: string }, limit?: number): Promise<RoomTimelinePage | undefined>
  /** Fails with `not_found` if the row does not exist. */
  readAround(eventId: string): Promise<RoomTimelinePage | undefined>
  readMessages(ids: string[]): Promise<Message[]>
}

/** Minimum interval between two reads of new rows. */
const catchUpIntervalMs = 200
/** Maximum number of new rows read at once. */
const maxCatchUpRows = 200

/** More new rows than this, at a rate above `floodPerMs`, are a flood: showing all of them would block typing. */
const floodRows = 100
const floodPerMs = 0.2
const floodIntervalMs = 1_000

export type TimelineStatus = 'loading' | 'ready' | 'failed'

export class Timeline {
  readonly window = new Cell<TimelineWindow | undefined>(undefined)
  readonly status = new Cell<TimelineStatus>('loading')
  /** Whether the newest row is visible. If not, new rows do not push out the rows that the user is reading. */
  isAtNewest = true
  readonly #source: TimelineSource
  #reading: Promise<void> = Promise.resolve()
  #views = 0
  /** Changes still to load: whether rows were added, and the ids of changed messages. */
  #missedRows = false
  readonly #missedChanges = new Set<string>()
  #catchingUp = false
  #catchUpAgain = false
  #caughtUpAt = -Infinity
  /** Number of rows announced since the last read. */
  #newRows = 0
  /** Whether the rows announced before the last read were a flood. */
  #isFlooded = false
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(source: TimelineSource) {
    this.#source = source
  }

  /** Marks the timeline as shown until the returned function is called. Loads missed changes. */
  open(): () => void {
    this.#views++
    if (this.#missedRows) this.onNewRows()
    this.#loadMissed()
    return () => void this.#views--
  }

  get isOpen(): boolean {
    return this.#views > 0
  }

  onNewRows(): void {
    this.#missedRows = !this.isOpen
    this.#newRows++
    if (this.isOpen) void this.catchUp()
  }

  /** Reloads changed messages; later, if the timeline is not shown. */
  async onMessagesChanged(ids: readonly string[]): Promise<void> {
    if (this.isOpen) return this.refresh(ids)
    for (const id of ids) this.#missedChanges.add(id)
  }

  /** Loads the newest rows; the current ones stay visible until then. */
  async reload(): Promise<void> {
    if (this.window.value === undefined) this.status.set('loading')
    try {
      await this.#enqueueRead(async () => {
        const page = await this.#source.read()
        if (page) this.window.set(windowOf(page))
      })
      this.status.set('ready')
    } catch {
      this.status.set('failed')
    }
  }

  /** Reloads what is shown, because events may have been missed. Keeps the scroll position. */
  async reloadShown(): Promise<void> {
    const window = this.window.value
    if (this.isAtNewest || !window || this.status.value === 'failed') return this.reload()
    await Promise.all([this.#refreshWithRetry(window.rows.map(({ id }) => id)), this.catchUp()])
  }

  async readOlder(limit?: number): Promise<void> {
    await this.#enqueueRead(async () => {
      const window = this.window.value
      if (!window?.hasOlder) return
      const page = await this.#source.read({ case: 'before', value: startCursorOf(window) }, limit)
      if (page) this.window.update((now) => now && withOlder(now, page))
    })
  }

  async readNewer(): Promise<void> {
    await this.#enqueueRead(async () => {
      const window = this.window.value
      if (!window?.hasNewer) return
      const page = await this.#source.read({ case: 'after', value: endCursorOf(window) })
      if (page) this.window.update((now) => now && withNewer(now, page))
    })
  }

  /**
   * Opens the window around a row, unless the window contains the row. Fails with `not_found` if the row does not
   * exist.
   */
  async seek(eventId: string): Promise<void> {
    await this.#enqueueRead(async () => {
      if (this.window.value?.rows.some(({ id }) => id === eventId)) return
      const page = await this.#source.readAround(eventId)
      if (page) this.window.set(windowOf(page))
    })
    this.status.set('ready')
  }

  async goToNewest(): Promise<void> {
    if (this.window.value?.hasNewer) await this.reload()
  }

  /**
   * Reads the rows after the loaded ones: one read at a time, with pauses. All calls during a read cause one more read.
   * A failed read is repeated, unless the failure is permanent.
   */
  async catchUp(): Promise<void> {
    if (this.status.value === 'failed') return this.reload()
    this.#catchUpAgain = true
    if (this.#catchingUp) return
    this.#catchingUp = true
    try {
      while (this.#catchUpAgain) {
        const everyMs = this.#isFlooded ? floodIntervalMs : catchUpIntervalMs
        const earlyMs = this.#caughtUpAt + everyMs - performance.now()
        if (earlyMs > 0) await new Promise((resolve) => setTimeout(resolve, earlyMs))
        this.#catchUpAgain = false
        this.#isFlooded =
          this.#newRows > floodRows && this.#newRows > floodPerMs * (performance.now() - this.#caughtUpAt)
        this.#newRows = 0
        await this.#enqueueRead(() => this.#readNewRows())
        this.#caughtUpAt = performance.now()
      }
    } catch (thrown) {
      this.#catchUpAgain = false
      clearTimeout(this.#retry)
      if (!isPermanent(thrown)) this.#retry = setTimeout(() => void this.catchUp(), retryMs)
    } finally {
      this.#catchingUp = false
    }
  }

  async #readNewRows(): Promise<void> {
    const window = this.window.value
    // Keep the position of a user who is reading older rows; the window already says that there are newer ones.
    if (!window || window.hasNewer) return
    if (!this.isAtNewest && isFull(window)) return this.window.set({ ...window, hasNewer: true })
    // If a user at the newest row falls behind, load only the newest rows; scrolling back loads the skipped ones.
    const isFlooded = this.#isFlooded && this.isAtNewest
    const page = isFlooded
      ? undefined
      : await this.#source.read({ case: 'after', value: endCursorOf(window) }, maxCatchUpRows)
    const newest = isFlooded || (page?.hasNewer && this.isAtNewest) ? await this.#source.read() : undefined
    if (newest) this.window.set(windowOf(newest))
    else if (page) this.window.update((now) => now && withNewer(now, page))
  }

  /** Reloads messages and their echoes. */
  async refresh(ids: readonly string[]): Promise<void> {
    const window = this.window.value
    if (!window) return
    const shown = [...new Set(ids.flatMap((id) => rowsAbout(window, id)))]
    if (shown.length === 0) return
    const messages = await this.#source.readMessages(shown)
    this.window.update((now) => now && withMessages(now, messages))
  }

  show(message: Message): void {
    this.window.update((now) => now && withMessages(now, [message]))
  }

  onRetracted(id: string, at: Message['deletedAt']): void {
    this.window.update((now) => now && withRetracted(now, id, at))
  }

  onAttachmentDeleted(assetId: string): void {
    this.window.update((now) => now && withoutAttachment(now, assetId))
  }

  onAuthorDeleted(userId: string, at: Message['deletedAt']): void {
    this.window.update((now) => now && withoutAuthor(now, userId, at))
  }

  async #refreshWithRetry(ids: readonly string[]): Promise<void> {
    try {
      await this.refresh(ids)
    } catch (thrown) {
      if (isPermanent(thrown)) return
      for (const id of ids) this.#missedChanges.add(id)
      setTimeout(() => this.#loadMissed(), retryMs)
    }
  }

  #loadMissed(): void {
    if (!this.isOpen || this.#missedChanges.size === 0) return
    const ids = [...this.#missedChanges]
    this.#missedChanges.clear()
    void this.#refreshWithRetry(ids)
  }

  /** Reads that move the ends of the window run one after the other. */
  #enqueueRead(read: () => Promise<void>): Promise<void> {
    const turn = this.#reading.then(read)
    this.#reading = turn.catch(() => undefined)
    return turn
  }
}
