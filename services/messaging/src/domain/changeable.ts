/** The current state of a message to change. The id may be its own or that of its echo. */
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
  /** Its current channel echo. */
  echo: { eventId: string; seq: bigint } | undefined
  /** What the id refers to: the message, its echo, or a retracted echo. */
  named: 'message' | 'echo' | 'former echo'
  /** Whether the caller has reacted with the requested emoji. */
  reacted: boolean
  /** Whether the emoji can be used: somebody already has, or the message is below the limit of different emojis. */
  takesEmoji: boolean
}

/** Maximum number of different emojis per message, because every page with the message contains them all. */
export const maxEmojis = 50

/** Whether the named row shows a text. */
export const isShown = ({ retracted, named }: Pick<ChangeableMessage, 'retracted' | 'named'>): boolean =>
  !retracted && named !== 'former echo'
