import type { Bus } from '@parley/rpc'
import { requestKeeper } from '../keep/requests.ts'
import { allEvents } from '../subjects.ts'
import { decodeBatch } from './decode.ts'
import { streamMaxAgeMs } from './declare.ts'
import { directGet } from './direct-get.ts'

/** The sequence alone is not enough: a stream that lost its newest messages reuses sequences. */
export type Position = {
  seq: number
  eventId: string
  storedAt: number
}

/** `unknown`: neither the stream nor the keeper gave an answer; try again. */
export type PositionState = 'present' | 'missing' | 'unknown'

const mayHaveExpiredMs = streamMaxAgeMs - 3_600_000

export const positionCheckMs = 10_000
/**
 * Short timeouts would wake an idle process more often: Node.js wakes it at the end of a timer even if that was
 * cleared, but until the end of a long one some other timer has usually woken it anyway.
 */
export const positionCheckTimeoutMs = 2_900

export type Positions = {
  newest: Position | undefined
  /** The newest position at the last successful check. Later ones may belong to a stream that replaced this one. */
  anchor: Position | undefined
  lost?: Position | undefined
}

/**
 * Checks whether the stream still holds these positions. If so, the newest becomes the anchor. Asks the keeper if the
 * stream does not confirm a position within `timeoutMs`. Never rejects.
 */
export async function verifyPositions(bus: Bus, positions: Positions, timeoutMs?: number): Promise<PositionState> {
  const { anchor, newest } = positions
  for (const position of new Set([anchor, newest])) {
    const state = position === undefined ? 'present' : await lookUpPosition(bus, position, timeoutMs)
    if (state === 'missing') positions.lost = position
    if (state !== 'present') return state
  }
  positions.anchor = newest
  return 'present'
}

/**
 * An event that the stream may have dropped by age counts as held if the stream has reached its sequence. Never
 * rejects.
 */
async function lookUpPosition(bus: Bus, position: Position, timeoutMs?: number): Promise<PositionState> {
  const { seq, eventId, storedAt } = position
  if (!bus.connected()) return 'unknown'
  const mayHaveExpired = Date.now() - storedAt > mayHaveExpiredMs
  // If the stream gives no clear answer, because a replica lags or a response is lost, the keeper decides.
  if (mayHaveExpired ? await reachesTo(bus, seq, timeoutMs) : await directGetHolds(bus, position, timeoutMs))
    return 'present'
  try {
    return (await requestKeeper(bus, 'place', { seq, eventId, expired: mayHaveExpired })).there ? 'present' : 'missing'
  } catch {
    return 'unknown'
  }
}

async function directGetHolds(bus: Bus, { seq, eventId }: Position, timeoutMs?: number): Promise<boolean> {
  try {
    const message = await directGet(bus, { seq }, timeoutMs)
    return message !== undefined && holdsEvent(message.data, eventId)
  } catch {
    return false
  }
}

async function reachesTo(bus: Bus, seq: number, timeoutMs?: number): Promise<boolean> {
  try {
    const newest = await directGet(bus, { last_by_subj: allEvents }, timeoutMs)
    return newest !== undefined && newest.seq >= seq
  } catch {
    return false
  }
}

export function holdsEvent(data: Uint8Array, eventId: string): boolean {
  try {
    return decodeBatch(data).some((event) => event.id === eventId)
  } catch {
    return false
  }
}
