import type { OutgoingEvent } from '@parley/events'
import { storeLineEvents } from './line-events.ts'
import { lockLine } from './lines.ts'
import type { Connection } from './statement.ts'

/** The log of a room whose row is locked until the transaction ends. */
export class HeldLog {
  readonly on: Connection
  readonly roomId: string
  readonly #entries: bigint[] = []
  #appended: OutgoingEvent[] = []

  private constructor(on: Connection, roomId: string) {
    this.on = on
    this.roomId = roomId
  }

  /** Locks the row. Read everything else afterwards, in a separate snapshot. */
  static async hold(on: Connection, roomId: string): Promise<HeldLog> {
    await lockLine(on, roomId)
    return new HeldLog(on, roomId)
  }

  /** Number of places taken beyond the last one stored in the row. */
  get ahead(): bigint {
    return BigInt(this.#appended.length)
  }

  /** Adds events that took the next positions, in order. */
  append(events: readonly OutgoingEvent[]): void {
    this.#appended.push(...events)
  }

  /** Stores the pending events, so that the row contains the last place. */
  async flush(): Promise<void> {
    const appended = this.#appended
    this.#appended = []
    this.noteEntries(await storeLineEvents(this.on, this.roomId, appended))
  }

  noteEntries(entries: readonly bigint[]): void {
    this.#entries.push(...entries)
  }

  /** Entries of the outbox that the transaction wrote. */
  get entries(): readonly bigint[] {
    return this.#entries
  }
}
