import type { ImportedMessage } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import type { CheckedMessage } from './check-imported-message.ts'

export type KnownMessage = { eventId: string; authorId: string; threadRootEventId: string | null }

export type PlannedEvent = {
  seq: bigint
  eventId: string
  inTimeline: boolean
  authorId: string
  createdAt: Date
  updatedAt: Date | null
  deletedAt: Date | null
  body: string | null
  inReplyTo: string | null
  threadRootEventId: string | null
  echoOfEventId: string | null
  echoFromThreadRootEventId: string | null
  channelEchoEventId: string | null
  linkPreview: Uint8Array | null
}
export type PlannedReply = { rootEventId: string; seq: bigint; at: Date; authorId: string; shown: boolean }
export type PlannedFollow = { rootEventId: string; userId: string }
/** `since`: the place that orders the emojis of a message. */
export type PlannedReaction = { seq: bigint; emoji: string; userIds: string[]; at: Date; since: bigint }
export type PlannedAttachments = { seq: bigint; attachments: ImportedMessage['attachments'] }

export type ImportPlan = {
  events: PlannedEvent[]
  replies: PlannedReply[]
  follows: PlannedFollow[]
  reactions: PlannedReaction[]
  attachments: PlannedAttachments[]
  ids: { externalId: string; eventId: string }[]
  /** External ids of replies whose thread root is unknown. These replies become root messages. */
  orphaned: string[]
  roomSeq: bigint
}

export type ExistingState = {
  roomSeq: bigint
  known: ReadonlyMap<string, KnownMessage>
  /** Users with deleted accounts. Their messages become placeholders, and their reactions are left out. */
  erased: ReadonlySet<string>
  now: Date
}

export function planImport(messages: readonly CheckedMessage[], existing: ExistingState): ImportPlan {
  const known = new Map(existing.known)
  const plan: ImportPlan = {
    ...{ events: [], replies: [], follows: [], reactions: [], attachments: [], ids: [], orphaned: [] },
    roomSeq: existing.roomSeq,
  }
  const written: { message: CheckedMessage; seq: bigint }[] = []
  for (const message of messages) {
    if (known.has(message.externalId)) continue
    const seq = ++plan.roomSeq
    known.set(message.externalId, planMessage(plan, message, seq, known, existing))
    written.push({ message, seq })
  }
  for (const { message, seq } of written) planReactions(plan, message, seq, existing.erased)
  return plan
}

function planMessage(
  plan: ImportPlan,
  message: CheckedMessage,
  seq: bigint,
  known: ReadonlyMap<string, KnownMessage>,
  { erased, now }: ExistingState,
): KnownMessage {
  const { externalId, authorId, createdAt, threadRootExternalId, inReplyToExternalId, alsoInChannel } = message
  const eventId = newId('event')
  const root = threadRootExternalId === '' ? undefined : known.get(threadRootExternalId)
  const rootEventId = root && (root.threadRootEventId ?? root.eventId)
  if (threadRootExternalId !== '' && !root) plan.orphaned.push(externalId)
  const deletedAt = message.deletedAt ?? (erased.has(authorId) ? now : null)
  const echoEventId = rootEventId !== undefined && alsoInChannel ? newId('event') : null
  const bare = { authorId, createdAt, updatedAt: null, body: null, inReplyTo: null, linkPreview: null, deletedAt }
  const noEcho = { echoOfEventId: null, echoFromThreadRootEventId: null }
  plan.events.push({
    ...{ ...bare, ...noEcho, seq, eventId, inTimeline: rootEventId === undefined },
    ...(deletedAt === null && { updatedAt: message.updatedAt, body: message.body, linkPreview: message.linkPreview }),
    inReplyTo: known.get(inReplyToExternalId)?.eventId ?? null,
    threadRootEventId: rootEventId ?? null,
    channelEchoEventId: echoEventId,
  })
  if (echoEventId !== null && rootEventId !== undefined) {
    const echo = { echoOfEventId: eventId, echoFromThreadRootEventId: rootEventId }
    const place = { seq: ++plan.roomSeq, eventId: echoEventId, inTimeline: true }
    plan.events.push({ ...bare, ...echo, ...place, threadRootEventId: null, channelEchoEventId: null })
  }
  if (root && rootEventId !== undefined) {
    plan.replies.push({ rootEventId, seq, at: createdAt, authorId, shown: deletedAt === null })
    for (const userId of new Set([authorId, root.authorId]))
      if (!erased.has(userId)) plan.follows.push({ rootEventId, userId })
  }
  if (deletedAt === null && message.attachments.length > 0)
    plan.attachments.push({ seq, attachments: message.attachments })
  plan.ids.push({ externalId, eventId })
  return { eventId, authorId, threadRootEventId: rootEventId ?? null }
}

/**
 * The emojis of a message are shown in the order of their places (`since`). So each emoji takes a place of its own, after
 * the places of all planned events.
 */
function planReactions(plan: ImportPlan, message: CheckedMessage, seq: bigint, erased: ReadonlySet<string>): void {
  if (message.deletedAt !== null || erased.has(message.authorId)) return
  const byEmoji = new Map<string, Set<string>>()
  for (const { emoji, userIds } of message.reactions) {
    const users = byEmoji.get(emoji) ?? new Set()
    for (const userId of userIds) if (!erased.has(userId)) users.add(userId)
    byEmoji.set(emoji, users)
  }
  for (const [emoji, users] of byEmoji) {
    if (users.size === 0) continue
    plan.reactions.push({ seq, emoji, userIds: [...users], at: message.createdAt, since: ++plan.roomSeq })
  }
}
