import { EventSchema } from '@parley/contracts/internal'
import type { DeliveryInit } from '@parley/events'
import { encode } from '@parley/protobuf'
import { isDm, type RoomHeader } from '../domain/room-header.ts'

/** A delivery to the effective members of a channel, or to the participants of a direct message. */
export function roomDelivery(
  room: Pick<RoomHeader, 'roomId' | 'kind' | 'participantIds'>,
  envelope: Uint8Array,
): DeliveryInit {
  return isDm(room)
    ? { envelope, audience: { case: 'users', value: { userIds: [...room.participantIds] } } }
    : { envelope, audience: { case: 'roomId', value: room.roomId } }
}

export function userDelivery(userId: string, envelope: Uint8Array): DeliveryInit {
  return { envelope, audience: { case: 'users', value: { userIds: [userId] } } }
}

/** Appending the bytes to an encoded event adds the delivery, because protobuf concatenates repeated fields. */
export function encodeDelivery(delivery: DeliveryInit): Buffer {
  return Buffer.from(encode(EventSchema, { deliveries: [delivery] }))
}
