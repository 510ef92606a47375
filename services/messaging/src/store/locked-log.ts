import type { OutgoingEvent } from '@parley/events'
import { storeLogEvents } from './log-events.ts'
import { lockLog } from './rooms.ts'
import type { Connection } from './statement.ts'

export class LockedLog {
  readonly on: Connection
  readonly roomId: string
  readonly #entries: bigint[] = []
  #pending: OutgoingEvent[] = []

  private constructor(on: Connection, roomId: string) {
    this.on = on
    this.roomId = roomId
  }

  /** Only later statements, which have a newer snapshot, read the state that the lock protects. */
  static async lock(on: Connection, roomId: string): Promise<LockedLog> {
    await lockLog(on, roomId)
    return new LockedLog(on, roomId)
  }

  get pendingPlaces(): bigint {
    return BigInt(this.#pending.length)
  }

  /** The events take the next places in this order. `flush` stores them. */
  append(events: readonly OutgoingEvent[]): void {
    this.#pending.push(...events)
  }

  /** Afterwards the row contains the last place. */
  async flush(): Promise<void> {
    const pending = this.#pending
    this.#pending = []
    this.addEntries(await storeLogEvents(this.on, this.roomId, pending))
  }

  addEntries(entries: readonly bigint[]): void {
    this.#entries.push(...entries)
  }

  get entries(): readonly bigint[] {
    return this.#entries
  }
}
