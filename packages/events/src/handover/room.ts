import { Code, ConnectError } from '@connectrpc/connect'
import type { RoomEvent } from '@parley/contracts/internal'
import type { Database } from '@parley/postgres'
import { backoffMs } from '@parley/runtime'
import { bindToTrace, logger } from '@parley/telemetry'
import { maxAttempts, reasonOf } from '../consume/failures.ts'
import { countHandedOver, countHandOverFailure, countParkedHandOver } from '../metrics.ts'
import { handOverSpan } from '../spans.ts'
import * as store from './store.ts'

const log = logger('handover')
/** Shorter than the lease, so that messaging never handles two calls for a room at a time. */
const callMs = 5000

export type HandOverOptions = Pick<Database, 'db'> & {
  service: string
  /**
   * Sends at most 50 events of one room to messaging, oldest first; resolves when messaging has stored them. The call
   * is repeated after a failure, so messaging must drop duplicates. Must stop when the signal is aborted.
   */
  apply: (roomId: string, events: RoomEvent[], signal: AbortSignal) => Promise<unknown>
  pauses?: { initialMs: number; maxMs: number }
  /** How often to poll for events of processes that died before announcing them. Default: 10 s. */
  pollMs?: number
}

export type HandOverContext = Required<HandOverOptions> & { holder: string; signal: AbortSignal }

/**
 * Sends the waiting events of a room, unless another process holds the room's lease or the room is paused. Resolves
 * with the milliseconds until the next attempt, if one is needed.
 */
export async function handOverRoom(context: HandOverContext, roomId: string): Promise<number | void> {
  const { db } = context
  const claim = await store.claimRoom(db, roomId, context.holder)
  if (!claim) return
  for (;;) {
    const events = context.signal.aborted ? [] : await store.readWaitingOf(db, roomId)
    if (events.length === 0) {
      await store.releaseRoom(db, claim)
      return context.signal.aborted || !(await store.hasWaiting(db, roomId)) ? undefined : 0
    }
    const onFailure = await send(context, claim, events)
    if (onFailure !== undefined) return await onFailure()
    countHandedOver(context.service, events.length)
    if (!(await store.deleteHandedOver(db, claim, events))) return
    claim.failures = 0
  }
}

async function send(
  context: HandOverContext,
  claim: store.Claim,
  events: readonly store.Waiting[],
): Promise<(() => Promise<number | void>) | undefined> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(callMs)])
  let handleInTrace = handleFailure
  try {
    const sent = events.map(({ event }) => event)
    await handOverSpan(sent, () => {
      handleInTrace = bindToTrace(handleFailure)
      return context.apply(claim.roomId, sent, signal)
    })
    return undefined
  } catch (error) {
    const failure = signal.aborted
      ? new ConnectError('no answer in time', Code.DeadlineExceeded)
      : ConnectError.from(error)
    return () => handleInTrace(context, claim, events, failure)
  }
}

async function handleFailure(
  context: HandOverContext,
  claim: store.Claim,
  events: readonly store.Waiting[],
  failure: ConnectError,
): Promise<number | void> {
  const { db, service, pauses, signal } = context
  const { roomId, failures } = claim
  if (signal.aborted) return await store.releaseRoom(db, claim)
  const reason = reasonOf(failure)
  const [first] = events
  countHandOverFailure(service)
  log.warn(
    { service, roomId, failures: failures + 1, reason },
    'messaging did not accept events of a room; they are sent again unless they are parked',
  )
  if (first && !transientCodes.has(failure.code) && (await store.countRefusal(db, first)) >= maxAttempts) {
    await store.parkEvent(db, claim, first, reason)
    countParkedHandOver(service)
    log.error({ service, roomId, eventId: first.event.eventId, reason }, 'messaging refused an event; it is parked')
    await store.releaseRoom(db, claim)
    return 0
  }
  const pauseMs = backoffMs({ initialMs: pauses.initialMs, maxMs: pauses.maxMs }, failures + 1)
  await store.pauseRoom(db, claim, pauseMs)
  return pauseMs
}

const transientCodes: ReadonlySet<Code> = new Set([
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Canceled,
  Code.Aborted,
  Code.ResourceExhausted,
])
