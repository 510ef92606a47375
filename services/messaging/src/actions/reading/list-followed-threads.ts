import { isEffectiveMember, type Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { findRoomsWithFollowedThreads, readFollowedThreads, type PageOfFollowed } from '../../store/followed-threads.ts'

export async function listFollowedThreads(
  { pool, policy, reads }: Pick<Context, 'pool' | 'policy' | 'reads'>,
  user: Subject,
  page: PageOfFollowed,
) {
  const rooms = await findRoomsWithFollowedThreads(pool, user.userId)
  const readable = rooms.filter(({ room, standing }) => isEffectiveMember(policy(), user, room, standing))
  const roomIds = readable.map(({ room }) => room.roomId)
  return await reads.run(() => readFollowedThreads(pool, user.userId, roomIds, page), user.userId)
}
