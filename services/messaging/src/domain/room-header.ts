import { RoomKind } from '@parley/contracts/api'

export type RoomHeader = {
  readonly roomId: string
  /** Version of the last fact. */
  readonly version: bigint
  readonly kind: RoomKind
  readonly groupId: string
  readonly universal: boolean
  readonly archived: boolean
  readonly name: string
  readonly participantIds: readonly string[]
}

export type Standing = { readonly member: boolean; readonly banned: boolean }

export type RoomLog = RoomHeader & { readonly roomSeq: bigint }

/** `factId`: event id of the last applied fact; empty if an earlier release applied it. */
export type LogState = RoomLog & { readonly factId: string }

export const isDm = (room: Pick<RoomHeader, 'kind'>): boolean => room.kind === RoomKind.DM
