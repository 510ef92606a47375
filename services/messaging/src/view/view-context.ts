/** The shown room, the user who reads it, the current time, and the base URL and secret of signed asset URLs. */
export type ViewContext = {
  roomId: string
  userId: string
  now: Date
  assets: { publicUrl: string; signingSecret: string }
}
