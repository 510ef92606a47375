/** Topics of this node's sockets. */
export const topics = {
  everyone: 'everyone',
  /** One part of all sockets. */
  slice: (number: number) => `everyone:${number}`,
  /** Hints, which slow sockets do not get. */
  hints: 'hints',
  user: (userId: string) => `user:${userId}`,
  room: (roomId: string) => `room:${roomId}`,
  /** Hints of one room. */
  roomHints: (roomId: string) => `room-hints:${roomId}`,
}
