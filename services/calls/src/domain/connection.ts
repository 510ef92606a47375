export type Connection = {
  sid: string
  /** Sid of the media server's room, which changes when the room is reopened. */
  mediaRoomSid: string
  /** Milliseconds since 1970, by the clock of the media server. */
  connectedAt: number
  disconnected: boolean
}

export const noConnection: Connection = { sid: '', mediaRoomSid: '', connectedAt: 0, disconnected: true }

/** The state after a user left: it ends all earlier connections, even those reported later. */
export const disconnectedAt = (ms: number): Connection => ({ ...noConnection, connectedAt: ms })

/**
 * Picks the newer of two connection states; of two states of the same connection, the disconnected one. The order and
 * number of reports do not matter.
 */
export function pickNewer(one: Connection, other: Connection): Connection {
  if (one.connectedAt !== other.connectedAt) return one.connectedAt > other.connectedAt ? one : other
  if (one.sid !== other.sid) return one.sid > other.sid ? one : other
  return one.disconnected ? one : other
}

export const isLive = ({ sid, mediaRoomSid, disconnected }: Connection, closedRooms: readonly string[]): boolean =>
  sid !== '' && !disconnected && !closedRooms.includes(mediaRoomSid)
