import type { MessageInitShape } from '@bufbuild/protobuf'
import { RoomEventSchema } from '@parley/contracts/internal'
import { CommitChannel, type Tx } from '@parley/postgres'
import { encode } from '@parley/protobuf'
import { currentTraceparent } from '@parley/telemetry'
import { handovers } from '../schema.ts'
import { eventsPerCall } from './store.ts'

export const roomsToHandOver = new CommitChannel<string>()

const maxBytes = (768 * 1024) / eventsPerCall

/**
 * Writes events about a room in the transaction of their change, which must hold the lock of the aggregate's row. After
 * the commit, `startHandOver` sends them to messaging in this order. Throws a RangeError if an event is too large.
 */
export async function handOver(
  tx: Tx,
  roomId: string,
  events: readonly MessageInitShape<typeof RoomEventSchema>[],
): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((event) => {
    const payload = encode(RoomEventSchema, { ...event, traceparent: event.traceparent || currentTraceparent() })
    if (payload.length > maxBytes) {
      throw new RangeError(
        `event ${event.kind} of a room has ${payload.length} bytes, but at most ${maxBytes} can be handed over`,
      )
    }
    return { roomId, payload: Buffer.from(payload) }
  })
  await tx.insert(handovers).values(rows)
  roomsToHandOver.notify(tx, roomId)
}
