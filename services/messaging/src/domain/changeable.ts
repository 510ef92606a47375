/** The current state of a message to change. The request may name the message or its echo. */
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
  /** Its current channel echo. */
  echo: { eventId: string; seq: bigint } | undefined
  /** What the request names: the message, its echo, or an echo that was removed. */
  named: 'message' | 'echo' | 'removed echo'
  /** Whether the caller has reacted with the requested emoji. */
  hasReacted: boolean
  /** Whether the emoji can be added: the message has it already, or fewer than `maxEmojis` different ones. */
  acceptsEmoji: boolean
}

/** Maximum number of different emojis per message. A page with the message contains all of them. */
export const maxEmojis = 50

/** Whether the named row is shown with its content: it is neither a placeholder nor a removed echo. */
export const isShown = ({ retracted, named }: Pick<ChangeableMessage, 'retracted' | 'named'>): boolean =>
  !retracted && named !== 'removed echo'
