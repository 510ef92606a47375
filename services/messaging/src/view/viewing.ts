/** Who looks at a room, when, and what addresses of assets are made of. */
export type Viewing = {
  roomId: string
  userId: string
  now: Date
  assets: { publicUrl: string; signingSecret: string }
}
