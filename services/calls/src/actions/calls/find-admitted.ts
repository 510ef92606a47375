import type { Context } from '../../context.ts'
import { reportAccountsFailure } from '../../metrics.ts'

/**
 * Those of the users who may be in a call of the room: its effective members, without deactivated accounts. The media
 * server does not exclude the latter itself, because it accepts their tokens for some more minutes. If the call of the
 * service `accounts` fails, nobody counts as deactivated; the next comparison with the media server corrects this.
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
