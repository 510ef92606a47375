export type ChangeableMessage = {
  seq: bigint
  eventId: string
  authorId: string
  createdAt: Date
  retracted: boolean
  body: string
  threadRootEventId: string | null
  attachmentIds: readonly string[]
  linkPreview: Uint8Array | null
  echo: { eventId: string; seq: bigint } | undefined
  requested: 'message' | 'echo' | 'removed echo'
  hasReacted: boolean
  acceptsEmoji: boolean
}

/** Limited because every page with the message contains all of them. */
export const maxEmojis = 50

/** Neither a placeholder nor a removed echo. */
export const isShown = ({ retracted, requested }: Pick<ChangeableMessage, 'retracted' | 'requested'>): boolean =>
  !retracted && requested !== 'removed echo'
