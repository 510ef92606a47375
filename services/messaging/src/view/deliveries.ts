import { EventSchema } from '@parley/contracts/internal'
import type { DeliveryInit } from '@parley/events'
import { encode } from '@parley/protobuf'
import { isDm, type RoomHeader } from '../domain/room-line.ts'

/** Delivers to the effective members of a channel or the participants of a direct message. */
export function toRoom(
  room: Pick<RoomHeader, 'roomId' | 'kind' | 'participantIds'>,
  envelope: Uint8Array,
): DeliveryInit {
  return isDm(room)
    ? { envelope, audience: { case: 'users', value: { userIds: [...room.participantIds] } } }
    : { envelope, audience: { case: 'roomId', value: room.roomId } }
}

export function toUser(userId: string, envelope: Uint8Array): DeliveryInit {
  return { envelope, audience: { case: 'users', value: { userIds: [userId] } } }
}

/**
 * Encodes a delivery so that its bytes, appended to an encoded event, add it to the event. Protobuf concatenates
 * repeated fields.
 */
export function encodeRider(delivery: DeliveryInit): Buffer {
  return Buffer.from(encode(EventSchema, { deliveries: [delivery] }))
}
