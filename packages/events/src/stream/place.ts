import type { Bus } from '@parley/rpc'
import { requestKeeper } from '../keep/requests.ts'
import { allEvents } from '../subjects.ts'
import { decodeBatch } from './decode.ts'
import { streamMaxAgeMs } from './declare.ts'
import { directGet } from './direct-get.ts'

/**
 * A position on the stream, with the event stored there. A stream that lost its tail reuses sequences, so the sequence
 * is not enough.
 */
export type Place = {
  seq: number
  eventId: string
  /** When the event was stored, in milliseconds since 1970. */
  storedAt: number
}

/** `unknown`: the stream did not answer; try again. */
export type PlaceState = 'there' | 'gone' | 'unknown'

/** Milliseconds after which an event may have left the stream by age. */
const mayHaveExpiredMs = streamMaxAgeMs - 3_600_000

/** How often a place is verified while idle. */
export const placeCheckMs = 10_000
/**
 * How long such a check waits for the stream. Node.js wakes the process even for a timer that was cleared, but not if it
 * wakes for another timer before.
 */
export const placeCheckTimeoutMs = 2_900

/** Places on the stream known to a process. */
export type Places = {
  /** The newest place. */
  newest: Place | undefined
  /** The newest place at the last successful check: a newer one may already be on another stream. */
  anchor: Place | undefined
  /** The place that was last found missing. */
  lost?: Place | undefined
}

/**
 * Checks whether the stream still contains these places; if so, the newest becomes the anchor. Never rejects. A keeper
 * is asked when the stream has not answered within `timeoutMs`.
 */
export async function verifyPlaces(bus: Bus, places: Places, timeoutMs?: number): Promise<PlaceState> {
  const { anchor, newest } = places
  for (const place of new Set([anchor, newest])) {
    const state = place === undefined ? 'there' : await lookUpPlace(bus, place, timeoutMs)
    if (state === 'gone') places.lost = place
    if (state !== 'there') return state
  }
  places.anchor = newest
  return 'there'
}

/** Whether the stream still holds this event at this sequence. Never rejects. */
async function lookUpPlace(bus: Bus, place: Place, timeoutMs?: number): Promise<PlaceState> {
  const { seq, eventId, storedAt } = place
  if (!bus.connected()) return 'unknown'
  const expired = Date.now() - storedAt > mayHaveExpiredMs
  // If the stream gives no clear answer, because a replica lags or a response is lost, the keeper decides.
  if (expired ? await reachesTo(bus, seq, timeoutMs) : await directGetHolds(bus, place, timeoutMs)) return 'there'
  try {
    return (await requestKeeper(bus, 'place', { seq, eventId, expired })).there ? 'there' : 'gone'
  } catch {
    return 'unknown'
  }
}

async function directGetHolds(bus: Bus, { seq, eventId }: Place, timeoutMs?: number): Promise<boolean> {
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

/** Whether a message is a batch that contains this event. */
export function holdsEvent(data: Uint8Array, eventId: string): boolean {
  try {
    return decodeBatch(data).some((event) => event.id === eventId)
  } catch {
    return false
  }
}
