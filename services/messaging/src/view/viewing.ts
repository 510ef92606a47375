/** The reader of a room, the time, and the inputs of asset addresses. */
export type Viewing = {
  roomId: string
  userId: string
  now: Date
  assets: { publicUrl: string; signingSecret: string }
}
