import type { MessageInitShape } from '@bufbuild/protobuf'
import type { FollowedThreadSchema } from '@parley/contracts/api'
import type { FollowedThread } from '../store/followed-threads.ts'
import { toMessage, toThreadSummary } from './message.ts'
import type { ViewContext } from './view-context.ts'

export function toFollowedThread(
  viewContext: ViewContext,
  { room, root, hasUnread }: FollowedThread,
): MessageInitShape<typeof FollowedThreadSchema> {
  return {
    rootMessage: toMessage(viewContext, root),
    room: { id: room.roomId, kind: room.kind, name: room.name },
    thread: toThreadSummary(root, hasUnread),
  }
}
