import type { MessageInitShape } from '@bufbuild/protobuf'
import type { FollowedThreadSchema } from '@parley/contracts/api'
import type { FollowedThread } from '../store/followed-threads.ts'
import { toMessage, toThreadSummary } from './message.ts'
import type { Viewing } from './viewing.ts'

/** A thread as its follower sees it. */
export function toFollowedThread(
  viewing: Viewing,
  { room, root, hasUnread }: FollowedThread,
): MessageInitShape<typeof FollowedThreadSchema> {
  return {
    rootMessage: toMessage(viewing, root),
    room: { id: room.roomId, kind: room.kind, name: room.name },
    thread: toThreadSummary(root, hasUnread),
  }
}
