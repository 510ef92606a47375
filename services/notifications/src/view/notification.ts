import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { NotificationItemSchema } from '@parley/contracts/api'
import type { DisplayData } from '../domain/display-data.ts'
import type { Pending } from '../store/pending.ts'

type Item = MessageInitShape<typeof NotificationItemSchema>

export function toNotification(pending: Pending, { users, rooms }: DisplayData): Item {
  const { id, actorId, createdAt, roomId } = pending
  const header = rooms.get(roomId)
  const room = header ? { id: roomId, kind: header.kind, name: header.name } : { id: roomId }
  const actor = users.get(actorId) ?? { id: actorId }
  return { id, createdAt: timestampFromDate(createdAt), actor, kind: kindOf(pending, room) }
}

function kindOf({ kind, eventId, threadRootEventId: root, inReplyTo: inReplyToId }: Pending, room: { id: string }) {
  const about = { room, eventId }
  const inThread = root === '' ? {} : { threadRootEventId: root }
  const kinds: Record<Pending['kind'], NonNullable<Item['kind']>> = {
    direct_message: { case: 'directMessage', value: about },
    mention: { case: 'mention', value: { ...about, ...inThread } },
    reply: { case: 'reply', value: { ...about, ...inThread, inReplyToId } },
    room_message: { case: 'roomMessage', value: about },
  }
  return kinds[kind]
}
