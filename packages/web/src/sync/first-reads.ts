import type { MemberClient } from '@parley/client'
import type { ListRoomGroupsResponse, ListRoomsResponse, RoomTimelinePage } from '@parley/client/contract'
import { lastRoom } from '../storage/last-room.ts'
import { routeOf } from '../state/router.ts'

/** Responses from which the sidebar is built. */
export type SidebarResponses = Promise<[ListRoomGroupsResponse, ListRoomsResponse]>

/** The data that a page reads once it receives events. */
export type FirstReads = {
  sidebar: SidebarResponses
  /** The newest rows of the room to show, if one is known. */
  room: { id: string; page: Promise<RoomTimelinePage | undefined> } | undefined
}

/** Whether a room fits beside the sidebar. */
export const isWide = (): boolean => matchMedia('(min-width: 44rem)').matches

/** The room that a page shows first: the one in its URL, otherwise the last visited one if the window is wide. */
export function firstRoom(userId: string): string | undefined {
  const { roomId, managed } = routeOf(location.pathname, location.search)
  return roomId ?? (managed || !isWide() ? undefined : lastRoom(userId))
}

export function requestSidebar({ api: { roomDirectory } }: MemberClient): SidebarResponses {
  return Promise.all([roomDirectory.listRoomGroups({}), roomDirectory.listRooms({})])
}

/** Sends the first requests. A failure is reported only to the code that awaits the response. */
export function readFirst(server: MemberClient, roomId: string | undefined): FirstReads {
  const sidebar = requestSidebar(server)
  sidebar.catch(() => undefined)
  if (roomId === undefined) return { sidebar, room: undefined }
  const page = server.api.room.getRoomEvents({ roomId }).then((answer) => answer.page)
  page.catch(() => undefined)
  return { sidebar, room: { id: roomId, page } }
}
