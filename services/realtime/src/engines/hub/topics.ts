export const topics = {
  everyone: 'everyone',
  slice: (number: number) => `everyone:${number}`,
  /** For everyone, except slow sockets. */
  hints: 'hints',
  user: (userId: string) => `user:${userId}`,
  room: (roomId: string) => `room:${roomId}`,
  roomHints: (roomId: string) => `room-hints:${roomId}`,
}
