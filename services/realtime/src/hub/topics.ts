/** Topics of this node's sockets. */
export const topics = {
  everyone: 'everyone',
  user: (userId: string) => `user:${userId}`,
  room: (roomId: string) => `room:${roomId}`,
}
