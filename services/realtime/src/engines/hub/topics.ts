/** Topics of this node's sockets. */
export const topics = {
  everyone: 'everyone',
  /** Hints: sockets that are behind do not get them. */
  hints: 'hints',
  user: (userId: string) => `user:${userId}`,
  room: (roomId: string) => `room:${roomId}`,
  /** Hints of one room. */
  roomHints: (roomId: string) => `room-hints:${roomId}`,
}
