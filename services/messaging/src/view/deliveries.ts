import { create, toBinary } from '@bufbuild/protobuf'
import { EventSchema } from '@parley/contracts/internal'
import type { DeliveryInit } from '@parley/events'
import { isDm, type RoomHeader } from '../domain/room-line.ts'

/** To the effective members of a channel, to the participants of a direct message. */
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

/** A delivery as bytes which, put behind an encoded event, add it: repeated fields of protobuf may be concatenated. */
export function encodeRider(delivery: DeliveryInit): Buffer {
  return Buffer.from(toBinary(EventSchema, create(EventSchema, { deliveries: [delivery] })))
}
