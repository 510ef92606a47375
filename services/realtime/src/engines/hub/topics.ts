/** Topics of this node's sockets. */
export const topics = {
  everyone: 'everyone',
  /** The sockets of one slice. */
  slice: (number: number) => `everyone:${number}`,
  /** Hints for everyone, which slow sockets do not receive. */
  hints: 'hints',
  user: (userId: string) => `user:${userId}`,
  room: (roomId: string) => `room:${roomId}`,
  /** Hints of one room. */
  roomHints: (roomId: string) => `room-hints:${roomId}`,
}
