import { RoomKind } from '@parley/contracts/api'

/** The properties of a room needed for permissions, delivery and clients, as of one version. */
export type RoomHeader = {
  readonly roomId: string
  /** Version of the last fact applied. */
  readonly version: bigint
  readonly kind: RoomKind
  /** Group of a channel. */
  readonly groupId: string
  readonly universal: boolean
  readonly archived: boolean
  /** Name of a channel. */
  readonly name: string
  /** Participants of a direct message. */
  readonly participantIds: readonly string[]
}

/** A user's relation to a room, regardless of permissions. */
export type Standing = { readonly member: boolean; readonly banned: boolean }

/** A header and the last place used. */
export type RoomLine = RoomHeader & { readonly roomSeq: bigint }

/** Also the event id of the last applied fact; empty if an earlier release applied it. */
export type FactLine = RoomLine & { readonly factId: string }

export const isDm = (room: Pick<RoomHeader, 'kind'>): boolean => room.kind === RoomKind.DM
