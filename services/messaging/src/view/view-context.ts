/** For whom a room is shown and when, with the base URL and secret of signed asset URLs. */
export type ViewContext = {
  roomId: string
  userId: string
  now: Date
  assets: { publicUrl: string; signingSecret: string }
}
