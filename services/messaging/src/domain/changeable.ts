/** The request may name the message or its echo. */
export type ChangeableMessage = {
  seq: bigint
  eventId: string
  authorId: string
  createdAt: Date
  retracted: boolean
  body: string
  threadRootEventId: string | null
  /** Attached assets, in display order. */
  attachmentIds: readonly string[]
  /** Encoded svc.internal.v1.PagePreview. */
  linkPreview: Uint8Array | null
  echo: { eventId: string; seq: bigint } | undefined
  /** What the request names: the message, its echo, or an echo that was removed. */
  named: 'message' | 'echo' | 'removed echo'
  /** Whether the caller has reacted with this emoji. */
  hasReacted: boolean
  /** Whether the message has the emoji already, or fewer than `maxEmojis` different ones. */
  acceptsEmoji: boolean
}

/** Limited because every page with the message contains all of them. */
export const maxEmojis = 50

/** Neither a placeholder nor a removed echo. */
export const isShown = ({ retracted, named }: Pick<ChangeableMessage, 'retracted' | 'named'>): boolean =>
  !retracted && named !== 'removed echo'
