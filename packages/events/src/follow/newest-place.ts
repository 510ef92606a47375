import type { Bus } from '@parley/rpc'
import { requestKeeper } from '../keep/requests.ts'
import { decodeBatch } from '../stream/decode.ts'
import { directGet } from '../stream/direct-get.ts'
import type { Place } from '../stream/place.ts'

/** Sequence of the newest message of the stream; 0 if there was none. */
export async function lastSeqOf(bus: Bus): Promise<number> {
  return (await requestKeeper(bus, 'state', {})).lastSeq
}

/** The place at a sequence; undefined if the stream does not hold that message. */
export async function placeAt(bus: Bus, seq: number): Promise<Place | undefined> {
  if (seq === 0) return undefined
  const message = await directGet(bus, { seq })
  const last = message && decodeBatch(message.data).at(-1)
  return last && { seq, eventId: last.id, storedAt: message.storedAt }
}
