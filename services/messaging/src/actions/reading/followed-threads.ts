import { isEffectiveMember, type Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { findRoomsOfFollowed, listFollowed } from '../../store/followed-threads.ts'

/** A page of the threads that a user follows in rooms of which they are an effective member. */
export async function followedThreads(
  { pool, policy, reads }: Pick<Context, 'pool' | 'policy' | 'reads'>,
  user: Subject,
  wanted: Parameters<typeof listFollowed>[3],
) {
  const rooms = await findRoomsOfFollowed(pool, user.userId)
  const readable = rooms.filter(({ room, standing }) => isEffectiveMember(policy(), user, room, standing))
  const roomIds = readable.map(({ room }) => room.roomId)
  return await reads.run(() => listFollowed(pool, user.userId, roomIds, wanted), user.userId)
}
