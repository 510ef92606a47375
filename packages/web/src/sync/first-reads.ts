import type { MemberClient } from '@parley/client'
import type { ListRoomGroupsResponse, ListRoomsResponse, RoomTimelinePage } from '@parley/client/contract'
import { lastRoom } from '../storage/recent-rooms.ts'
import { routeOf } from '../state/router.ts'

export type SidebarResponses = Promise<[ListRoomGroupsResponse, ListRoomsResponse]>

export type FirstReads = {
  sidebar: SidebarResponses
  room: { id: string; page: Promise<RoomTimelinePage | undefined> } | undefined
}

export const isWide = (): boolean => matchMedia('(min-width: 44rem)').matches

/** The room that a page shows first: the one in its URL, otherwise the last visited one if the window is wide. */
export function firstRoom(userId: string): string | undefined {
  const { roomId, managed } = routeOf(location.pathname, location.search)
  return roomId ?? (managed || !isWide() ? undefined : lastRoom(userId))
}

export function requestSidebar({ api: { roomDirectory } }: MemberClient): SidebarResponses {
  return Promise.all([roomDirectory.listRoomGroups({}), roomDirectory.listRooms({})])
}

/** A failure is reported only to the code that awaits the response. */
export function readFirst(server: MemberClient, roomId: string | undefined): FirstReads {
  const sidebar = requestSidebar(server)
  sidebar.catch(() => undefined)
  if (roomId === undefined) return { sidebar, room: undefined }
  const page = server.api.room.getRoomEvents({ roomId }).then((answer) => answer.page)
  page.catch(() => undefined)
  return { sidebar, room: { id: roomId, page } }
}
