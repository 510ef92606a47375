export type ViewContext = {
  roomId: string
  userId: string
  now: Date
  assets: { publicUrl: string; signingSecret: string }
}
