import type { RoomKind } from '@parley/contracts/api'

/** What of a room decides who may what in it. */
export type RoomHead = {
  readonly roomId: string
  readonly kind: RoomKind
  /** Empty for a direct message. */
  readonly groupId: string
  readonly universal: boolean
  readonly archived: boolean
}

/** How one user stands towards a room: explicit membership, and a ban that still holds. */
export type Standing = { readonly member: boolean; readonly banned: boolean }

export function headOf(room: {
  id: string
  kind: RoomKind
  groupId: string | null
  universal: boolean
  archived: boolean
}): RoomHead {
  const { id, kind, groupId, universal, archived } = room
  return { roomId: id, kind, groupId: groupId ?? '', universal, archived }
}
