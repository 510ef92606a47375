import type { Bus } from '@parley/rpc'
import { requestKeeper } from '../keep/requests.ts'
import { decodeBatch } from '../stream/decode.ts'
import { directGet } from '../stream/direct-get.ts'
import type { Position } from '../stream/position.ts'

export async function readLastSeq(bus: Bus): Promise<number> {
  return (await requestKeeper(bus, 'state', {})).lastSeq
}

/** Position of the last event in the message with this sequence; undefined if it is not found. */
export async function readPosition(bus: Bus, seq: number): Promise<Position | undefined> {
  if (seq === 0) return undefined
  const message = await directGet(bus, { seq })
  const last = message && decodeBatch(message.data).at(-1)
  return last && { seq, eventId: last.id, storedAt: message.storedAt }
}
