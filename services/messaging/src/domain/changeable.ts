/** A message that somebody is about to change, as it stands; named by its own id or by that of a channel echo of it. */
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
  /** What the id named: the message, its echo, or an echo that was taken back. */
  named: 'message' | 'echo' | 'former echo'
  /** Whether the caller reacted with the emoji that was asked about. */
  reacted: boolean
  /** Whether it may be reacted to with that emoji: somebody did, or there are few others. */
  takesEmoji: boolean
}

/** Different emojis with which a message is reacted to. Each is shown with every page that shows the message. */
export const mostEmojis = 50

/** Whether the id that was given shows a text. */
export const isShown = ({ retracted, named }: Pick<ChangeableMessage, 'retracted' | 'named'>): boolean =>
  !retracted && named !== 'former echo'
