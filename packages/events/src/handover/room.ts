import { Code, ConnectError } from '@connectrpc/connect'
import type { RoomEvent } from '@parley/contracts/internal'
import type { Database } from '@parley/postgres'
import { backoffMs } from '@parley/runtime'
import { bindToTrace, logger } from '@parley/telemetry'
import { maxAttempts, reasonOf } from '../consume/failures.ts'
import { eventsHandedOver, handOverFailed, handOverParked } from '../metrics.ts'
import { handOverSpan } from '../spans.ts'
import * as store from './store.ts'

const log = logger('handover')
/** Shorter than the lease, so that messaging never has two calls of a room even if it does not answer. */
const callMs = 5000

/** How events about rooms reach messaging. */
export type HandOverOptions = Pick<Database, 'db'> & {
  /** Deployable. */
  service: string
  /**
   * Sends events of one room to messaging, oldest first (at most 50); resolves when messaging has stored them. It is
   * repeated after a crash, so messaging drops duplicates. Must observe the signal.
   */
  apply: (roomId: string, events: RoomEvent[], signal: AbortSignal) => Promise<unknown>
  /** Pauses after a failure: the first, and the longest; default 100 ms and 5 s. */
  pauses?: { firstMs: number; maxMs: number }
  /** How often to look for events written by a process that died before it could announce them. Default: 10 s. */
  pollMs?: number
}

/** The process that hands over. */
export type Hand = Required<HandOverOptions> & { holder: string; signal: AbortSignal }

/**
 * Hands over the waiting events of a room, unless another process holds its lease. After a failure, resolves with the
 * milliseconds until the next attempt.
 */
export async function handOverRoom(hand: Hand, roomId: string): Promise<number | void> {
  const { db } = hand
  const claim = await store.claimRoom(db, roomId, hand.holder)
  if (!claim) return
  for (;;) {
    const events = hand.signal.aborted ? [] : await store.readWaitingOf(db, roomId)
    if (events.length === 0) {
      await store.releaseRoom(db, claim)
      // Events announced while this process held the lease must be handed over by it.
      return hand.signal.aborted || !(await store.waits(db, roomId)) ? undefined : 0
    }
    const failed = await give(hand, claim, events)
    if (failed !== undefined) return await failed()
    eventsHandedOver(hand.service, events.length)
    if (!(await store.forgetHandedOver(db, claim, events))) return
    claim.failures = 0
  }
}

/** Resolves with what to do about a failure, in the trace of the events. */
async function give(
  hand: Hand,
  claim: store.Claim,
  events: readonly store.Waiting[],
): Promise<(() => Promise<number | void>) | undefined> {
  const signal = AbortSignal.any([hand.signal, AbortSignal.timeout(callMs)])
  let pauseHere = pause
  try {
    const given = events.map(({ event }) => event)
    await handOverSpan(given, () => {
      pauseHere = bindToTrace(pause)
      return hand.apply(claim.roomId, given, signal)
    })
    return undefined
  } catch (error) {
    const failure = signal.aborted
      ? new ConnectError('no answer in time', Code.DeadlineExceeded)
      : ConnectError.from(error)
    return () => pauseHere(hand, claim, events, failure)
  }
}

async function pause(
  hand: Hand,
  claim: store.Claim,
  events: readonly store.Waiting[],
  failure: ConnectError,
): Promise<number | void> {
  const { db, service, pauses, signal } = hand
  const { roomId, failures } = claim
  if (signal.aborted) return await store.releaseRoom(db, claim)
  const reason = reasonOf(failure)
  const [first] = events
  handOverFailed(service)
  log.warn(
    { service, roomId, failures: failures + 1, reason },
    'messaging did not accept events of a room; they will be sent again',
  )
  if (first && !passing.has(failure.code) && (await store.countRefusal(db, first)) >= maxAttempts) {
    await store.parkEvent(db, claim, first, reason)
    handOverParked(service)
    log.error({ service, roomId, eventId: first.event.eventId, reason }, 'messaging refused an event; it is parked')
    await store.releaseRoom(db, claim)
    return 0
  }
  const pauseMs = backoffMs({ firstMs: pauses.firstMs, longestMs: pauses.maxMs }, failures + 1)
  await store.pauseRoom(db, claim, pauseMs)
  return pauseMs
}

/** Failures that are not caused by the events. */
const passing: ReadonlySet<Code> = new Set([
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Canceled,
  Code.Aborted,
  Code.ResourceExhausted,
])
