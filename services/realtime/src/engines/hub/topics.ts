/** Topics of this node's sockets. */
export const topics = {
  everyone: 'everyone',
  /** What may be lost: sockets that are behind do not hear it. */
  hints: 'hints',
  user: (userId: string) => `user:${userId}`,
  room: (roomId: string) => `room:${roomId}`,
  /** What may be lost of one room. */
  roomHints: (roomId: string) => `room-hints:${roomId}`,
}
