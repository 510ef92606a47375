/** A message written on this device that is not in the timeline yet. */
export type Unsent = {
  /** Idempotency key. */
  key: string
  userId: string
  roomId: string
  /** Empty if the message is posted in the room. */
  threadRootEventId: string
  inReplyTo: string
  alsoSendToChannel: boolean
  body: string
  attachmentAssetIds: readonly string[]
  filenames: readonly string[]
  linkPreviewToken: string
  /** Milliseconds since 1970. */
  writtenAt: number
  /** `sent`: posted, but not in the timeline yet. `refused`: sending it again unchanged would fail. */
  state: 'waiting' | 'sending' | 'sent' | 'refused'
  reason?: string
  messageId?: string
}

/** Key of a conversation, which is a room or a thread. Messages of one conversation are sent in order. */
export const conversationOf = ({ roomId, threadRootEventId }: Pick<Unsent, 'roomId' | 'threadRootEventId'>): string =>
  `${roomId}/${threadRootEventId}`

/** The oldest waiting message of a conversation; undefined while another one is being sent. */
export function nextToSend(queue: readonly Unsent[], conversation: string): Unsent | undefined {
  const here = queue.filter((one) => conversationOf(one) === conversation)
  if (here.some(({ state }) => state === 'sending')) return undefined
  return here.filter(({ state }) => state === 'waiting').sort((a, b) => a.writtenAt - b.writtenAt)[0]
}

/** Removes the message if `change` is undefined. */
export function withUnsent(queue: readonly Unsent[], key: string, change: Partial<Unsent> | undefined): Unsent[] {
  return queue.flatMap((one) => (one.key !== key ? [one] : change === undefined ? [] : [{ ...one, ...change }]))
}

export function withoutPosted(queue: readonly Unsent[], posted: ReadonlySet<string>): readonly Unsent[] {
  const left = queue.filter(({ messageId }) => messageId === undefined || !posted.has(messageId))
  return left.length === queue.length ? queue : left
}
