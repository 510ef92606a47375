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

/** Where the rows of a room or of a thread are read. */
export type TimelineSource = {
  /** `limit`: rows wanted at most; the server decides where none is given. */
  read(cursor?: { case: 'before' | 'after'; value: string }, limit?: number): Promise<RoomTimelinePage | undefined>
  /** The rows around one. Fails with `not_found` where it is not there. */
  readAround(eventId: string): Promise<RoomTimelinePage | undefined>
  readMessages(ids: string[]): Promise<Message[]>
}

/** Rows that come one after the other are read together: a timeline reads on at most this often. */
const readOnEveryMs = 200
/** Rows that a timeline reads in one go to catch up; with more to read it starts anew at the newest. */
const mostReadOn = 200

/** What a timeline is busy with. */
export type TimelineStatus = 'loading' | 'ready' | 'failed'

/** The rows of one room or thread that this page holds, and how they follow what happens. */
export class Timeline {
  readonly window = new Cell<TimelineWindow | undefined>(undefined)
  readonly status = new Cell<TimelineStatus>('loading')
  /** Whether somebody looks at its newest end; rows that are read further back are not dropped for newer ones. */
  isFollowed = true
  readonly #source: TimelineSource
  #reading: Promise<void> = Promise.resolve()
  /** Views that show it now. */
  #views = 0
  /** What happened while nobody looked: whether rows came, and which of those it holds changed. */
  #missedRows = false
  readonly #missedChanges = new Set<string>()
  #catchingUp = false
  #again = false
  #readOnAt = -Infinity
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(source: TimelineSource) {
    this.#source = source
  }

  /** Somebody looks at it, until the answer is called: what they missed is read now, and what happens from now on at once. */
  open(): () => void {
    this.#views++
    if (this.#missedRows) this.rowsCame()
    this.#readMissed()
    return () => void this.#views--
  }

  /** Whether somebody looks at it. */
  get isOpen(): boolean {
    return this.#views > 0
  }

  /** Rows came at its end. */
  rowsCame(): void {
    this.#missedRows = !this.isOpen
    if (this.isOpen) void this.catchUp()
  }

  /** Messages were changed. */
  async messagesChanged(ids: readonly string[]): Promise<void> {
    if (this.isOpen) return this.refresh(ids)
    for (const id of ids) this.#missedChanges.add(id)
  }

  /** Reads the newest rows; what was shown stays until they are there. */
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

  /** Events may have been missed: what is shown is read again. Whoever has scrolled up stays where they are. */
  async readAnew(): Promise<void> {
    const window = this.window.value
    if (this.isFollowed || !window || this.status.value === 'failed') return this.reload()
    await Promise.all([this.#readAgain(window.rows.map(({ id }) => id)), this.catchUp()])
  }

  /** Reads on before the first row. */
  async readOlder(): Promise<void> {
    await this.#inTurn(async () => {
      const window = this.window.value
      if (!window?.hasOlder) return
      const page = await this.#source.read({ case: 'before', value: startCursorOf(window) })
      if (page) this.window.update((now) => now && withOlder(now, page))
    })
  }

  /** Reads on behind the last row, where the window ends before the newest. */
  async readNewer(): Promise<void> {
    await this.#inTurn(async () => {
      const window = this.window.value
      if (!window?.hasNewer) return
      const page = await this.#source.read({ case: 'after', value: endCursorOf(window) })
      if (page) this.window.update((now) => now && withNewer(now, page))
    })
  }

  /** Opens the window around a row, unless it is in it. Fails with `not_found` where it is not there. */
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
   * Reads on behind the last row. One reading runs at a time, and they keep a distance; if it is asked for meanwhile, one more
   * follows: however much happens, the newest row is shown and nothing piles up. What could not be read is tried again in a
   * while, for as long as somebody may read here.
   */
  async catchUp(): Promise<void> {
    if (this.status.value === 'failed') return this.reload()
    this.#again = true
    if (this.#catchingUp) return
    this.#catchingUp = true
    try {
      while (this.#again) {
        const earlyMs = this.#readOnAt + readOnEveryMs - performance.now()
        if (earlyMs > 0) await new Promise((resolve) => setTimeout(resolve, earlyMs))
        this.#again = false
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
    // Who reads far back is not carried away: that there is more is known already.
    if (!window || window.hasNewer) return
    if (!this.isFollowed && isFull(window)) return this.window.set({ ...window, hasNewer: true })
    const page = await this.#source.read({ case: 'after', value: endCursorOf(window) }, mostReadOn)
    // Whoever looks at the newest row and falls behind goes on there: what was passed over can be read further back.
    const newest = page?.hasNewer && this.isFollowed ? await this.#source.read() : undefined
    if (newest) this.window.set(windowOf(newest))
    else if (page) this.window.update((now) => now && withNewer(now, page))
  }

  /** Reads a message anew wherever it is shown here. */
  async refresh(ids: readonly string[]): Promise<void> {
    const window = this.window.value
    if (!window) return
    const shown = [...new Set(ids.flatMap((id) => rowsAbout(window, id)))]
    if (shown.length === 0) return
    const messages = await this.#source.readMessages(shown)
    this.window.update((now) => now && withMessages(now, messages))
  }

  /** Takes in a message that an answer brought. */
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

  /** Reads messages anew, also if that takes several attempts. */
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
