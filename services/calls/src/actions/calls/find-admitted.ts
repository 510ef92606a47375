import type { Context } from '../../context.ts'
import { reportAccountsFailure } from '../../metrics.ts'

/**
 * Effective members of the room, except those whose account is deactivated: their tokens still admit to the media
 * server for some minutes. While accounts does not answer, nobody counts as deactivated; the next comparison with the
 * media server corrects this.
 */
export async function findAdmitted(
  { rooms, profiles }: Pick<Context, 'rooms' | 'profiles'>,
  roomId: string,
  userIds: readonly string[],
): Promise<Set<string>> {
  const [members, deactivated] = await Promise.all([
    rooms.findMembers(roomId, userIds),
    profiles.findDeactivated(userIds).catch((error: unknown) => {
      reportAccountsFailure(error)
      return []
    }),
  ])
  for (const userId of deactivated) members.delete(userId)
  return members
}
