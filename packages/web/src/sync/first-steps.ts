import { administration } from '../session/administration.ts'
import { server } from '../session/server.ts'

/** `alone`: there is no other account. */
export type FirstSteps = { serverName: string; named: boolean; invited: boolean; hasRoom: boolean; alone: boolean }

/** Names of the rooms that every new server has. They do not count as rooms of the owner. */
const initialRooms = new Set(['general', 'announcements'])
const defaultName = 'Parley'

/** Requires administration permissions. */
export async function readFirstSteps(): Promise<FirstSteps> {
  const [{ config, publicProfile }, { page }, invites, { groups }] = await Promise.all([
    administration.server.getServerConfig({}),
    administration.user.listMembers({ page: { limit: 1 } }),
    administration.user.listInvites({ page: { limit: 1 } }),
    server.api.roomDirectory.listRoomGroups({}),
  ])
  const alone = (page?.totalCount ?? 0n) < 2n
  const rooms = groups.flatMap(({ items }) =>
    items.flatMap(({ item }) => (item.case === 'room' ? [item.value.room] : [])),
  )
  return {
    serverName: publicProfile?.name || defaultName,
    named: (config?.serverName ?? '') !== '' && config?.serverName !== defaultName,
    invited: !alone || (invites.page?.totalCount ?? 0n) > 0n,
    hasRoom: rooms.some((room) => room !== undefined && !initialRooms.has(room.name)),
    alone,
  }
}
