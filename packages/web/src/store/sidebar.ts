import {
  type ListRoomGroupsResponse,
  type ListRoomsResponse,
  type NotificationItem,
  type PermissionGrant,
  RoomKind,
  type RoomWithViewerState,
  type SidebarLink,
} from '@parley/client/contract'

/** An entry of a group: a room by its id, or a link. */
export type SidebarItem = { kind: 'room'; roomId: string } | { kind: 'link'; link: SidebarLink }

/** A group as the sidebar shows it. */
export type SidebarGroup = { id: string; name: string; items: readonly SidebarItem[]; mayCreateRoom: boolean }

/** Content of the sidebar. `groups` and `dms` refer to the rooms in `rooms` by id. */
export type Sidebar = {
  groups: readonly SidebarGroup[]
  /** Ids of the direct messages, the one with the newest message first. */
  dms: readonly string[]
  rooms: ReadonlyMap<string, RoomWithViewerState>
}

export const emptySidebar: Sidebar = { groups: [], dms: [], rooms: new Map() }

/** Builds the sidebar from the responses for groups and for rooms. */
export function sidebarOf({ groups }: ListRoomGroupsResponse, { rooms }: ListRoomsResponse): Sidebar {
  const known = new Map<string, RoomWithViewerState>()
  const itemsOf = (items: ListRoomGroupsResponse['groups'][number]['items']) =>
    items.flatMap(({ item }): SidebarItem[] => {
      if (item.case === 'sidebarLink') return [{ kind: 'link', link: item.value }]
      if (item.case !== 'room' || item.value.room === undefined) return []
      known.set(item.value.room.id, item.value)
      return [{ kind: 'room', roomId: item.value.room.id }]
    })
  const shown = groups.map(({ id, name, items, viewerState }) => {
    const mayCreateRoom = holds(viewerState?.permissions, 'room.create')
    return { id, name, items: itemsOf(items), mayCreateRoom }
  })
  // The groups determine the order. The list of rooms has the unread marks and the direct messages.
  for (const one of rooms) if (one.room) known.set(one.room.id, one)
  const dms = rooms.flatMap(({ room }) => (room?.kind === RoomKind.DM ? [room.id] : []))
  return { groups: shown, dms, rooms: known }
}

/**
 * The rooms that can be found and suggested. `rooms` also contains archived rooms: one that is open, and those that
 * were archived after they were loaded.
 */
export const activeRooms = ({ rooms }: Sidebar): RoomWithViewerState[] =>
  [...rooms.values()].filter(({ room }) => room?.archived === false)

/** Adds or replaces the given rooms, and puts new direct messages first. */
export function withRooms(sidebar: Sidebar, changed: readonly RoomWithViewerState[]): Sidebar {
  const rooms = new Map(sidebar.rooms)
  for (const one of changed) if (one.room) rooms.set(one.room.id, one)
  const added = changed.flatMap(({ room }) =>
    room?.kind === RoomKind.DM && !sidebar.dms.includes(room.id) ? [room.id] : [],
  )
  return { ...sidebar, rooms, dms: added.length === 0 ? sidebar.dms : [...added, ...sidebar.dms] }
}

/** Adds the archived rooms of another state, because responses about all rooms do not contain them. */
export function withArchivedOf(sidebar: Sidebar, other: Sidebar): Sidebar {
  const missing = [...other.rooms].filter(([id, { room }]) => room?.archived && !sidebar.rooms.has(id))
  return missing.length === 0 ? sidebar : { ...sidebar, rooms: new Map([...sidebar.rooms, ...missing]) }
}

/** Moves a DM room to the top after a new message in it. */
export function withDmFirst(sidebar: Sidebar, roomId: string): Sidebar {
  if (sidebar.dms[0] === roomId || !sidebar.dms.includes(roomId)) return sidebar
  return { ...sidebar, dms: [roomId, ...sidebar.dms.filter((id) => id !== roomId)] }
}

/** Marks a room as unread or read. */
export function withUnread(sidebar: Sidebar, roomId: string, hasUnread: boolean): Sidebar {
  const found = sidebar.rooms.get(roomId)
  if (!found?.viewerState || found.viewerState.hasUnread === hasUnread) return sidebar
  return withRooms(sidebar, [{ ...found, viewerState: { ...found.viewerState, hasUnread } }])
}

/** Counts pending notifications by room id. */
export function pendingByRoom(items: readonly NotificationItem[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { kind } of items) {
    const roomId = kind.value?.room?.id ?? ''
    counts.set(roomId, (counts.get(roomId) ?? 0) + 1)
  }
  return counts
}

/** Id of the other participant of a direct message between two people; undefined for any other room. */
export function partnerIn(room: RoomWithViewerState | undefined, userId: string): string | undefined {
  const others = room?.room?.kind === RoomKind.DM ? room.dmMembers.filter(({ id }) => id !== userId) : []
  return others.length === 1 ? others[0]?.id : undefined
}

/** Whether the viewer is a member of a channel in which they may post. */
export const mayPostInChannel = (sidebar: Sidebar): boolean =>
  activeRooms(sidebar).some(
    (one) => one.room?.kind === RoomKind.CHANNEL && one.viewerState?.isMember && may(one, 'message.post'),
  )

/** Whether the viewer has a permission in a room. */
export const may = (room: RoomWithViewerState | undefined, permission: string): boolean =>
  holds(room?.viewerState?.permissions, permission)

const holds = (grants: readonly PermissionGrant[] | undefined, permission: string): boolean =>
  grants?.some((grant) => grant.permission === permission && grant.granted) ?? false
