import { randomUUID } from 'node:crypto'
import { periodically } from '@parley/runtime'
import { logger, withoutTrace } from '@parley/telemetry'
import { reasonOf } from '../consume/failures.ts'
import { roomsToHandOver } from './hand-over.ts'
import { dropIdleLeases, roomsPerPoll, findWaitingRooms } from './store.ts'
import { handOverRoom, type HandOverContext, type HandOverOptions } from './room.ts'

const log = logger('handover')
/** Equal to the lease, after which another process can take over the work of a dead one. */
const defaultPollMs = 10_000
const retryMs = 500
const nextRoomsMs = 200
const maxConcurrentRooms = 16

/**
 * Sends the events written by `handOver` to messaging, in order, with one call per room at a time across all processes.
 * While messaging is unavailable, calls are retried with growing delays. An event that messaging keeps refusing is
 * parked, so that it does not block its room.
 */
export function startHandOver(options: HandOverOptions): AsyncDisposable {
  const { db, service, pauses = { initialMs: 100, maxMs: 5000 }, pollMs: everyMs = defaultPollMs } = options
  const closing = new AbortController()
  const context: HandOverContext = { ...options, pauses, pollMs: everyMs, holder: randomUUID(), signal: closing.signal }
  const waiting = new Set<string>()
  const running = new Map<string, Promise<void>>()

  function startHandOvers(): void {
    for (const roomId of waiting) {
      if (running.size >= maxConcurrentRooms || closing.signal.aborted) return
      if (running.has(roomId)) continue
      waiting.delete(roomId)
      const done = withoutTrace(() => handOverRoom(context, roomId))
        .catch((error: unknown) => {
          log.warn(
            { service, roomId, reason: reasonOf(error) },
            'handing over events of a room failed; it will be retried',
          )
          return retryMs
        })
        .then((againMs) => {
          if (againMs !== undefined) polling.wake(againMs)
        })
        .finally(() => {
          running.delete(roomId)
          startHandOvers()
        })
      running.set(roomId, done)
    }
  }

  let isCleaned = false
  const polling = periodically({
    name: `${service} hand-over`,
    everyMs,
    afterFailureMs: retryMs,
    async run() {
      if (!isCleaned) await dropIdleLeases(db)
      isCleaned = true
      const rooms = await findWaitingRooms(db)
      for (const { roomId, openInMs } of rooms) if (openInMs === 0) waiting.add(roomId)
      startHandOvers()
      const nextMs = rooms.find(({ openInMs }) => openInMs > 0)?.openInMs
      return rooms.length < roomsPerPoll ? nextMs : nextRoomsMs
    },
  })
  polling.wake()
  const listening = roomsToHandOver.listen(db, (roomId) => {
    waiting.add(roomId)
    startHandOvers()
  })
  return {
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      closing.abort()
      await polling[Symbol.asyncDispose]()
      await Promise.all(running.values())
    },
  }
}
