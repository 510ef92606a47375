import type { MemberClient } from '@parley/client'
import type { ListRoomGroupsResponse, ListRoomsResponse, RoomTimelinePage } from '@parley/client/contract'
import { lastRoom } from '../kept/last-room.ts'
import { routeOf } from '../state/router.ts'

/** Answers with which the sidebar is shown. */
export type SidebarAnswers = Promise<[ListRoomGroupsResponse, ListRoomsResponse]>

/** What a page reads as soon as events arrive. */
export type FirstReads = {
  sidebar: SidebarAnswers
  /** The newest rows of the room to show, if one is known. */
  room: { id: string; page: Promise<RoomTimelinePage | undefined> } | undefined
}

/** Wide enough for a room beside the list of rooms. */
export const isWide = (): boolean => matchMedia('(min-width: 44rem)').matches

/** The room that a page shows first: that of its address, or where there is room for one the user's last. */
export function firstRoom(userId: string): string | undefined {
  const { roomId, managed } = routeOf(location.pathname, location.search)
  return roomId ?? (managed || !isWide() ? undefined : lastRoom(userId))
}

export function readSidebar({ api: { roomDirectory } }: MemberClient): SidebarAnswers {
  return Promise.all([roomDirectory.listRoomGroups({}), roomDirectory.listRooms({})])
}

/** Sends the requests; failures are passed to those who await the answers. */
export function readFirst(server: MemberClient, roomId: string | undefined): FirstReads {
  const sidebar = readSidebar(server)
  sidebar.catch(() => undefined)
  if (roomId === undefined) return { sidebar, room: undefined }
  const page = server.api.room.getRoomEvents({ roomId }).then((answer) => answer.page)
  page.catch(() => undefined)
  return { sidebar, room: { id: roomId, page } }
}
