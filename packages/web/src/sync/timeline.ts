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
import { isLasting, retryMs } from './failures.ts'

/** Reads the rows of a room or a thread. */
export type TimelineSource = {
  /** `limit`: rows wanted at most; the server decides where none is given. */
  read(cursor?: { case: 'before' | 'after'; value: string }, limit?: number): Promise<RoomTimelinePage | undefined>
  /** The rows around a row. Fails with `not_found` if it does not exist. */
  readAround(eventId: string): Promise<RoomTimelinePage | undefined>
  readMessages(ids: string[]): Promise<Message[]>
}

/** Rows that come one after the other are read together: a timeline reads on at most this often. */
const readOnEveryMs = 200
/** Most rows read at once to catch up; if there are more, the timeline restarts at the newest. */
const mostReadOn = 200

/** More rows than these, coming at more than `floodPerMs`, are a flood: nobody reads it, but one writes meanwhile. */
const floodRows = 100
const floodPerMs = 0.2
/** In a flood the newest rows are shown at most this often. */
const floodEveryMs = 1_000

/** State of a timeline. */
export type TimelineStatus = 'loading' | 'ready' | 'failed'

/** The rows of one room or thread that this page holds, and how they follow what happens. */
export class Timeline {
  readonly window = new Cell<TimelineWindow | undefined>(undefined)
  readonly status = new Cell<TimelineStatus>('loading')
  /** Whether its newest end is visible; if not, rows read further back are not dropped for newer ones. */
  isFollowed = true
  readonly #source: TimelineSource
  #reading: Promise<void> = Promise.resolve()
  /** Views that show it now. */
  #views = 0
  /** Changes while it was not shown: whether rows were added, and which loaded rows changed. */
  #missedRows = false
  readonly #missedChanges = new Set<string>()
  #catchingUp = false
  #again = false
  #readOnAt = -Infinity
  /** Rows that came since it was read on, and whether those before were a flood. */
  #came = 0
  #isFlooded = false
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(source: TimelineSource) {
    this.#source = source
  }

  /** Marks it as shown until the result is called: missed changes are loaded now, later ones at once. */
  open(): () => void {
    this.#views++
    if (this.#missedRows) this.rowsCame()
    this.#readMissed()
    return () => void this.#views--
  }

  /** Whether it is shown. */
  get isOpen(): boolean {
    return this.#views > 0
  }

  /** Rows came at its end. */
  rowsCame(): void {
    this.#missedRows = !this.isOpen
    this.#came++
    if (this.isOpen) void this.catchUp()
  }

  /** Messages were changed. */
  async messagesChanged(ids: readonly string[]): Promise<void> {
    if (this.isOpen) return this.refresh(ids)
    for (const id of ids) this.#missedChanges.add(id)
  }

  /** Loads the newest rows; the old ones stay visible until then. */
  async reload(): Promise<void> {
    if (this.window.value === undefined) this.status.set('loading')
    try {
      await this.#inTurn(async () => {
        const page = await this.#source.read()
        if (page) this.window.set(windowOf(page))
      })
      this.status.set('ready')
    } catch {
      this.status.set('failed')
    }
  }

  /** Reloads the visible rows after events may have been missed. The scroll position stays. */
  async readAnew(): Promise<void> {
    const window = this.window.value
    if (this.isFollowed || !window || this.status.value === 'failed') return this.reload()
    await Promise.all([this.#readAgain(window.rows.map(({ id }) => id)), this.catchUp()])
  }

  /** Reads on before the first row; `limit`: rows wanted at most, the server decides where none is given. */
  async readOlder(limit?: number): Promise<void> {
    await this.#inTurn(async () => {
      const window = this.window.value
      if (!window?.hasOlder) return
      const page = await this.#source.read({ case: 'before', value: startCursorOf(window) }, limit)
      if (page) this.window.update((now) => now && withOlder(now, page))
    })
  }

  /** Reads rows after the last one, if the window ends before the newest. */
  async readNewer(): Promise<void> {
    await this.#inTurn(async () => {
      const window = this.window.value
      if (!window?.hasNewer) return
      const page = await this.#source.read({ case: 'after', value: endCursorOf(window) })
      if (page) this.window.update((now) => now && withNewer(now, page))
    })
  }

  /** Opens the window around a row, unless the window contains it. Fails with `not_found` if it does not exist. */
  async seek(eventId: string): Promise<void> {
    await this.#inTurn(async () => {
      if (this.window.value?.rows.some(({ id }) => id === eventId)) return
      const page = await this.#source.readAround(eventId)
      if (page) this.window.set(windowOf(page))
    })
    this.status.set('ready')
  }

  /** Opens the window at the newest row, if it is elsewhere. */
  async toNewest(): Promise<void> {
    if (this.window.value?.hasNewer) await this.reload()
  }

  /**
   * Reads rows after the last one. One read runs at a time, with pauses; a request during a read causes one more. Under
   * load the newest row is still shown and nothing piles up; a flood is followed once a second. Failed reads are
   * retried as long as the user may read here.
   */
  async catchUp(): Promise<void> {
    if (this.status.value === 'failed') return this.reload()
    this.#again = true
    if (this.#catchingUp) return
    this.#catchingUp = true
    try {
      while (this.#again) {
        const everyMs = this.#isFlooded ? floodEveryMs : readOnEveryMs
        const earlyMs = this.#readOnAt + everyMs - performance.now()
        if (earlyMs > 0) await new Promise((resolve) => setTimeout(resolve, earlyMs))
        this.#again = false
        this.#isFlooded = this.#came > floodRows && this.#came > floodPerMs * (performance.now() - this.#readOnAt)
        this.#came = 0
        await this.#inTurn(() => this.#readOn())
        this.#readOnAt = performance.now()
      }
    } catch (thrown) {
      this.#again = false
      clearTimeout(this.#retry)
      if (!isLasting(thrown)) this.#retry = setTimeout(() => void this.catchUp(), retryMs)
    } finally {
      this.#catchingUp = false
    }
  }

  async #readOn(): Promise<void> {
    const window = this.window.value
    // Keep the position of a user who reads far back; newer rows are already known to exist.
    if (!window || window.hasNewer) return
    if (!this.isFollowed && isFull(window)) return this.window.set({ ...window, hasNewer: true })
    // If a user at the newest row falls behind, restart there; the skipped rows can be read by scrolling back.
    const isFlooded = this.#isFlooded && this.isFollowed
    const page = isFlooded
      ? undefined
      : await this.#source.read({ case: 'after', value: endCursorOf(window) }, mostReadOn)
    const newest = isFlooded || (page?.hasNewer && this.isFollowed) ? await this.#source.read() : undefined
    if (newest) this.window.set(windowOf(newest))
    else if (page) this.window.update((now) => now && withNewer(now, page))
  }

  /** Reloads a message wherever it is shown here. */
  async refresh(ids: readonly string[]): Promise<void> {
    const window = this.window.value
    if (!window) return
    const shown = [...new Set(ids.flatMap((id) => rowsAbout(window, id)))]
    if (shown.length === 0) return
    const messages = await this.#source.readMessages(shown)
    this.window.update((now) => now && withMessages(now, messages))
  }

  /** Adds a message from a response. */
  show(message: Message): void {
    this.window.update((now) => now && withMessages(now, [message]))
  }

  retracted(id: string, at: Message['deletedAt']): void {
    this.window.update((now) => now && withRetracted(now, id, at))
  }

  attachmentDeleted(assetId: string): void {
    this.window.update((now) => now && withoutAttachment(now, assetId))
  }

  authorDeleted(userId: string, at: Message['deletedAt']): void {
    this.window.update((now) => now && withoutAuthor(now, userId, at))
  }

  /** Reloads messages, with retries. */
  async #readAgain(ids: readonly string[]): Promise<void> {
    try {
      await this.refresh(ids)
    } catch (thrown) {
      if (isLasting(thrown)) return
      for (const id of ids) this.#missedChanges.add(id)
      setTimeout(() => this.#readMissed(), retryMs)
    }
  }

  #readMissed(): void {
    if (!this.isOpen || this.#missedChanges.size === 0) return
    const ids = [...this.#missedChanges]
    this.#missedChanges.clear()
    void this.#readAgain(ids)
  }

  /** Readings that move the ends of the window run one after the other. */
  #inTurn(read: () => Promise<void>): Promise<void> {
    const turn = this.#reading.then(read)
    this.#reading = turn.catch(() => undefined)
    return turn
  }
}
