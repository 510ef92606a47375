import { randomUUID } from 'node:crypto'
import { periodically } from '@parley/runtime'
import { logger, withoutTrace } from '@parley/telemetry'
import { reasonOf } from '../consume/failures.ts'
import { roomsToHandOver } from './hand-over.ts'
import { dropIdleLeases, roomsAtOnce, roomsWaiting } from './store.ts'
import { handOverRoom, type Hand, type HandOverOptions } from './room.ts'

const log = logger('handover')
/** Equal to the lease, after which the work of a dead process can be taken over. */
const defaultPollMs = 10_000
const tryAgainMs = 500
const nextRoomsMs = 200
const roomsInHand = 16

/**
 * Sends the events written by `handOver` to messaging. Events of one room are sent in order of their ids, one call at a
 * time across all processes; different rooms are sent in parallel. Accepted events are deleted. While messaging is
 * unavailable, calls are retried with growing delays. An event that messaging keeps refusing is parked, so that it does
 * not block its room forever.
 */
export function startHandOver(options: HandOverOptions): AsyncDisposable {
  const { db, service, pauses = { firstMs: 100, maxMs: 5000 }, pollMs: everyMs = defaultPollMs } = options
  const closing = new AbortController()
  const hand: Hand = { ...options, pauses, pollMs: everyMs, holder: randomUUID(), signal: closing.signal }
  const waiting = new Set<string>()
  const underWay = new Map<string, Promise<void>>()

  function begin(): void {
    for (const roomId of waiting) {
      if (underWay.size >= roomsInHand || closing.signal.aborted) return
      if (underWay.has(roomId)) continue
      waiting.delete(roomId)
      const done = withoutTrace(() => handOverRoom(hand, roomId))
        .catch((error: unknown) => {
          log.warn(
            { service, roomId, reason: reasonOf(error) },
            'handing over events of a room failed; it will be retried',
          )
          return tryAgainMs
        })
        .then((againMs) => {
          if (againMs !== undefined) polling.wake(againMs)
        })
        .finally(() => {
          underWay.delete(roomId)
          begin()
        })
      underWay.set(roomId, done)
    }
  }

  let cleaned = false
  const polling = periodically({
    name: `${service} hand-over`,
    everyMs,
    afterFailureMs: tryAgainMs,
    async run() {
      if (!cleaned) await dropIdleLeases(db)
      cleaned = true
      const rooms = await roomsWaiting(db)
      for (const { roomId, openInMs } of rooms) if (openInMs === 0) waiting.add(roomId)
      begin()
      const nextMs = rooms.find(({ openInMs }) => openInMs > 0)?.openInMs
      return rooms.length < roomsAtOnce ? nextMs : nextRoomsMs
    },
  })
  polling.wake()
  const listening = roomsToHandOver.listen(db, (roomId) => {
    waiting.add(roomId)
    begin()
  })
  return {
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      closing.abort()
      await polling[Symbol.asyncDispose]()
      await Promise.all(underWay.values())
    },
  }
}
