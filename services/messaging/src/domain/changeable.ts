/** The current state of a message to change, named by its own id or by that of its channel echo. */
export type ChangeableMessage = {
  seq: bigint
  eventId: string
  authorId: string
  createdAt: Date
  retracted: boolean
  body: string
  threadRootEventId: string | null
  /** Assets attached, in the order they are shown. */
  attachmentIds: readonly string[]
  /** Encoded svc.internal.v1.PagePreview. */
  linkPreview: Uint8Array | null
  /** The channel echo it has now. */
  echo: { eventId: string; seq: bigint } | undefined
  /** What the id refers to: the message, its echo, or a retracted echo. */
  named: 'message' | 'echo' | 'former echo'
  /** Whether the caller has reacted with the requested emoji. */
  reacted: boolean
  /** Whether it accepts that emoji: somebody already used it, or there are few others. */
  takesEmoji: boolean
}

/** Different emojis with which a message is reacted to. Each is shown with every page that shows the message. */
export const maxEmojis = 50

/** Whether the named row shows a text. */
export const isShown = ({ retracted, named }: Pick<ChangeableMessage, 'retracted' | 'named'>): boolean =>
  !retracted && named !== 'former echo'
