import type { Bus } from '@parley/rpc'
import { eventStream } from '../subjects.ts'
import { isMessageMissing, isStreamMissing, jetStream } from './api.ts'
import { decodeBatch } from './decode.ts'
import { streamMaxAgeMs } from './declare.ts'

/**
 * A point of the stream somebody got to. A stream that lost its tail gives the same sequences to other events, so the
 * sequence alone says nothing.
 */
export type Place = {
  seq: number
  eventId: string
  /** When the event was stored, in milliseconds since 1970. */
  storedAt: number
}

/** `unknown`: the stream did not answer, ask again. */
export type PlaceState = 'there' | 'gone' | 'unknown'

/** Milliseconds after which an event may have left the stream by age. */
const mayHaveExpiredMs = streamMaxAgeMs - 3_600_000

/** How often a place is looked up while nothing happens. */
export const placeCheckMs = 10_000

/** What somebody knows of the stream. */
export type Places = {
  /** The newest place. */
  newest: Place | undefined
  /** The newest place at the last successful look: a younger one may already lie on another stream. */
  anchor: Place | undefined
}

/** Asks the stream whether it still is the one these places are on; if so, the newest becomes the anchor. Never rejects. */
export async function verifyPlaces(bus: Bus, places: Places): Promise<PlaceState> {
  const { anchor, newest } = places
  for (const place of new Set([anchor, newest])) {
    const state = place === undefined ? 'there' : await lookUpPlace(bus, place)
    if (state !== 'there') return state
  }
  places.anchor = newest
  return 'there'
}

/** Whether the stream still holds this event at this sequence. Never rejects. */
async function lookUpPlace(bus: Bus, place: Place): Promise<PlaceState> {
  if (!bus.connected()) return 'unknown'
  if (Date.now() - place.storedAt > mayHaveExpiredMs) return await lookUpExpired(bus, place)
  // A replica that answers direct gets may lag, and a missing stream has none: what it does not say, the leader decides.
  if (await directGetHolds(bus, place)) return 'there'
  const { manager } = await jetStream(bus)
  try {
    const message = await manager.streams.getMessage(eventStream, { seq: place.seq })
    return holds(message.data, place.eventId) ? 'there' : 'gone'
  } catch (error) {
    return isMessageMissing(error) || isStreamMissing(error) ? 'gone' : 'unknown'
  }
}

async function directGetHolds(bus: Bus, place: Place): Promise<boolean> {
  try {
    const query = JSON.stringify({ seq: place.seq })
    const message = await bus.nc.request(`$JS.API.DIRECT.GET.${eventStream}`, query, { timeout: 2000 })
    return holds(message.data, place.eventId)
  } catch {
    return false
  }
}

async function lookUpExpired(bus: Bus, place: Place): Promise<PlaceState> {
  const { manager } = await jetStream(bus)
  try {
    const { state } = await manager.streams.info(eventStream)
    return state.last_seq >= place.seq ? 'there' : 'gone'
  } catch (error) {
    return isStreamMissing(error) ? 'gone' : 'unknown'
  }
}

function holds(data: Uint8Array, eventId: string): boolean {
  try {
    return decodeBatch(data).some((event) => event.id === eventId)
  } catch {
    return false
  }
}
