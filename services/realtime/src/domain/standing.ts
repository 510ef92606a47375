/** A user's membership and ban in one room, each with the version of the fact that last changed it. */
export type Standing = {
  member: boolean
  memberVersion: bigint
  banned: boolean
  banExpiresAt: Date | undefined
  banVersion: bigint
  /** Whether the room is a direct message, whose events go to the participants and never to a room topic. */
  dm: boolean
}

export type StandingInRoom = Standing & { roomId: string }

/** Header of a room that is or was universal, as far as delivery needs it. */
export type UniversalRoom = { roomId: string; groupId: string; universal: boolean; version: bigint }
