/** One connection of a participant to the media server. */
export type Connection = {
  sid: string
  /** The media server's room, which has another sid when it is opened again. */
  mediaRoomSid: string
  /** Milliseconds since 1970, by the clock of the media server. */
  connectedAt: number
  disconnected: boolean
}

/** Before any connection. */
export const noConnection: Connection = { sid: '', mediaRoomSid: '', connectedAt: 0, disconnected: true }

/** Whoever leaves by decision: connections that were made until now do not count, whenever they are heard of. */
export const disconnectedAt = (ms: number): Connection => ({ ...noConnection, connectedAt: ms })

/**
 * The one that counts of two: the later; of one connection that it ended. Gives the same whatever the order and however
 * often connections are heard of.
 */
export function newer(one: Connection, other: Connection): Connection {
  if (one.connectedAt !== other.connectedAt) return one.connectedAt > other.connectedAt ? one : other
  if (one.sid !== other.sid) return one.sid > other.sid ? one : other
  return one.disconnected ? one : other
}

export const isLive = ({ sid, mediaRoomSid, disconnected }: Connection, closedRooms: readonly string[]): boolean =>
  sid !== '' && !disconnected && !closedRooms.includes(mediaRoomSid)
