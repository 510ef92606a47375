import { Code, ConnectError, type MemberClient } from '@parley/client'
import type { RoomBan } from '@parley/client/contract'

type Target = { roomId: string; userId: string }
const perPage = 100

/** Whether a person is in a room; undefined if the viewer is not a member, because only members see who is. */
export async function isRoomMember({ api }: MemberClient, target: Target): Promise<boolean | undefined> {
  try {
    await api.room.getMember(target)
    return true
  } catch (thrown) {
    const { code } = ConnectError.from(thrown)
    if (code === Code.NotFound) return false
    if (code === Code.PermissionDenied) return undefined
    throw thrown
  }
}

/** The ban of a person from a room; undefined if there is none or the viewer may not see bans. */
export async function findBan({ api }: MemberClient, { roomId, userId }: Target): Promise<RoomBan | undefined> {
  let cursor = ''
  try {
    do {
      const { bans, page } = await api.room.listBans({ roomId, page: { limit: perPage, cursor } })
      const found = bans.find((ban) => ban.userId === userId)
      if (found) return found
      cursor = page?.nextCursor ?? ''
    } while (cursor !== '')
  } catch (thrown) {
    if (ConnectError.from(thrown).code !== Code.PermissionDenied) throw thrown
  }
  return undefined
}
