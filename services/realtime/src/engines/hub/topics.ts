export const topics = {
  everyone: 'everyone',
  slice: (number: number) => `everyone:${number}`,
  /** Hints for everyone; slow sockets leave this topic. */
  hints: 'hints',
  user: (userId: string) => `user:${userId}`,
  room: (roomId: string) => `room:${roomId}`,
  roomHints: (roomId: string) => `room-hints:${roomId}`,
}
