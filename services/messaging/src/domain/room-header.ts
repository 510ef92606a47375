import { RoomKind } from '@parley/contracts/api'

/** What permissions, delivery and clients need, as of one version. */
export type RoomHeader = {
  readonly roomId: string
  /** Of the last applied fact. */
  readonly version: bigint
  readonly kind: RoomKind
  /** Of a channel. */
  readonly groupId: string
  readonly universal: boolean
  readonly archived: boolean
  /** Of a channel. */
  readonly name: string
  /** Of a direct message. */
  readonly participantIds: readonly string[]
}

/** `member`: explicitly. */
export type Standing = { readonly member: boolean; readonly banned: boolean }

/** `roomSeq`: the last place in the log. */
export type RoomLog = RoomHeader & { readonly roomSeq: bigint }

/** `factId`: event id of the last applied fact; empty if an earlier release applied it. */
export type LogState = RoomLog & { readonly factId: string }

export const isDm = (room: Pick<RoomHeader, 'kind'>): boolean => room.kind === RoomKind.DM
