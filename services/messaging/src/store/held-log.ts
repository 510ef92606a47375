import type { OutgoingEvent } from '@parley/events'
import { storeLineEvents } from './line-events.ts'
import { lockLine } from './lines.ts'
import type { Connection } from './statement.ts'

/** The log of a room whose row is locked until the transaction ends. */
export class HeldLog {
  readonly on: Connection
  readonly roomId: string
  readonly #entries: bigint[] = []
  #told: OutgoingEvent[] = []

  private constructor(on: Connection, roomId: string) {
    this.on = on
    this.roomId = roomId
  }

  /** Locks the row. What else is read has to be read after it, in a snapshot of its own. */
  static async hold(on: Connection, roomId: string): Promise<HeldLog> {
    await lockLine(on, roomId)
    return new HeldLog(on, roomId)
  }

  /** How many places are taken behind the last one that the row names. */
  get ahead(): bigint {
    return BigInt(this.#told.length)
  }

  /** Events that took the next places, in order. */
  tell(events: readonly OutgoingEvent[]): void {
    this.#told.push(...events)
  }

  /** Stores what was told, so that the row names the last place. */
  async flush(): Promise<void> {
    const told = this.#told
    this.#told = []
    this.noteEntries(await storeLineEvents(this.on, this.roomId, told))
  }

  noteEntries(entries: readonly bigint[]): void {
    this.#entries.push(...entries)
  }

  /** Entries of the outbox that the transaction wrote. */
  get entries(): readonly bigint[] {
    return this.#entries
  }
}
