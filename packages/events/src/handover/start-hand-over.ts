import { randomUUID } from 'node:crypto'
import { periodically } from '@parley/runtime'
import { logger } from '@parley/telemetry'
import { reasonOf } from '../consume/failures.ts'
import { dropIdleLeases, openRooms } from './store.ts'
import { handOverRoom, type Hand, type HandOverOptions } from './room.ts'

const log = logger('handover')
const pollEveryMs = 200
const roomsInHand = 16

/** Hands over until it is disposed. */
export type HandOver = AsyncDisposable & {
  /** After a commit: takes the room in hand now instead of at the next look. */
  wake(roomId: string): void
}

/**
 * Hands what `handOver` wrote to messaging: of one room in the order of their ids, one call at a time whatever processes
 * there are, different rooms at once. What messaging took is deleted. While it is away, all is tried again with growing
 * pauses; an event that it refuses again and again is parked, so that it does not block its room for ever.
 */
export async function startHandOver(options: HandOverOptions): Promise<HandOver> {
  const { db, service, pauses = { firstMs: 100, mostMs: 5000 } } = options
  const closing = new AbortController()
  const hand: Hand = { ...options, pauses, holder: randomUUID(), signal: closing.signal }
  const waiting = new Set<string>()
  const underWay = new Map<string, Promise<void>>()

  function begin(): void {
    for (const roomId of waiting) {
      if (underWay.size >= roomsInHand || closing.signal.aborted) return
      if (underWay.has(roomId)) continue
      waiting.delete(roomId)
      const done = handOverRoom(hand, roomId)
        .catch((error: unknown) => log.warn({ service, roomId, reason: reasonOf(error) }, 'a room is looked at again'))
        .finally(() => {
          underWay.delete(roomId)
          begin()
        })
      underWay.set(roomId, done)
    }
  }

  await dropIdleLeases(db)
  const polling = periodically({
    name: `${service} hand-over`,
    everyMs: pollEveryMs,
    async run() {
      for (const roomId of await openRooms(db)) waiting.add(roomId)
      begin()
    },
  })
  return {
    wake(roomId) {
      waiting.add(roomId)
      begin()
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await polling[Symbol.asyncDispose]()
      await Promise.all(underWay.values())
    },
  }
}
