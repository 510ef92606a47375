import type { Context } from '../../context.ts'
import { reportAccountsFailure } from '../../metrics.ts'

/**
 * Which of the users may be in the call of a room: its effective members, except those whose account is deactivated. A
 * token of a deactivated account still admits to the media server for some minutes. While accounts does not answer,
 * nobody counts as deactivated; the next comparison with the media server corrects this.
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
