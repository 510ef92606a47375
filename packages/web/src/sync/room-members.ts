import type { MemberClient } from '@parley/client'
import { RoomMembershipKind } from '@parley/client/contract'
import { PagedList } from './paged-list.ts'
import type { People } from './people.ts'

/**
 * Ids of the members of a room, searched and loaded page by page. Their names are taken from {@link People}, which
 * events keep up to date.
 */
export const listRoomMembers = (
  server: MemberClient,
  people: People,
  { roomId, pageSize }: { roomId: string; pageSize: number },
): PagedList<string> =>
  new PagedList(
    ({ search, cursor }) =>
      people.trackChangesDuring(async (changes) => {
        const { members, page } = await server.api.room.listMembers({
          ...{ roomId, search, membership: RoomMembershipKind.EFFECTIVE },
          page: { limit: pageSize, cursor },
        })
        const users = members.flatMap(({ user }) => user ?? [])
        people.learn(users, changes)
        return { items: users.map(({ id }) => id), page }
      }),
    (id) => id,
  )
