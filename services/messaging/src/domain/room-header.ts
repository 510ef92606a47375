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

/** Whether a user is an explicit member of a room, and whether they are banned. */
export type Standing = { readonly member: boolean; readonly banned: boolean }

/** The header of a room, and the last place in its log. */
export type RoomLog = RoomHeader & { readonly roomSeq: bigint }

/** The state of a room's log. `factId`: event id of the last applied fact; empty if an earlier release applied it. */
export type LogState = RoomLog & { readonly factId: string }

export const isDm = (room: Pick<RoomHeader, 'kind'>): boolean => room.kind === RoomKind.DM
