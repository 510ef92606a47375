/** `userId`: the reader; `assets`: for signed URLs. */
export type ViewContext = {
  roomId: string
  userId: string
  now: Date
  assets: { publicUrl: string; signingSecret: string }
}
