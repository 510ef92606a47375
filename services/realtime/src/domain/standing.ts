/** Versions are those of the facts that last changed membership and ban. */
export type Standing = {
  member: boolean
  memberVersion: bigint
  banned: boolean
  banExpiresAt: Date | undefined
  banVersion: bigint
  /** A direct message: its events go to the participants, not to a room topic. */
  dm: boolean
}

export type StandingInRoom = Standing & { roomId: string }

export type UniversalRoom = { roomId: string; groupId: string; universal: boolean; version: bigint }
