import type { RoomKind } from '@parley/contracts/api'

export type PolicyRoom = {
  readonly roomId: string
  readonly kind: RoomKind
  readonly groupId: string
  readonly universal: boolean
  readonly archived: boolean
}

export type Standing = { readonly member: boolean; readonly banned: boolean }

export function toPolicyRoom(room: {
  id: string
  kind: RoomKind
  groupId: string | null
  universal: boolean
  archived: boolean
}): PolicyRoom {
  const { id, kind, groupId, universal, archived } = room
  return { roomId: id, kind, groupId: groupId ?? '', universal, archived }
}
