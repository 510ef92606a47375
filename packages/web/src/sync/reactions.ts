import type { Message, MessageReaction } from '@parley/client/contract'
import type { Chat } from './chat.ts'

/** The change is shown at once; then the message is reloaded. */
export async function toggleReaction(chat: Chat, message: Message, emoji: string): Promise<void> {
  const { roomId, id: messageEventId, reactions } = message
  const mine = reactions.find((one) => one.emoji === emoji)?.hasReacted ?? false
  chat.show({ ...message, reactions: withToggled(reactions, emoji, chat.userId) })
  const { api } = chat.server
  try {
    const request = { roomId, messageEventId, emoji }
    await (mine ? api.message.removeReaction(request) : api.message.addReaction(request))
  } finally {
    // Reload after a failure too, to undo the change that was shown at once.
    chat.refreshMessage(roomId, message.echoOfEventId || message.id)
  }
}

export function withToggled(reactions: readonly MessageReaction[], emoji: string, userId: string): MessageReaction[] {
  const found = reactions.find((one) => one.emoji === emoji)
  if (!found) {
    const first: Omit<MessageReaction, '$typeName'> = { emoji, count: 1, hasReacted: true, previewUserIds: [userId] }
    return [...reactions, { $typeName: 'svc.api.v1.MessageReaction', ...first }]
  }
  const hasReacted = !found.hasReacted
  const others = found.previewUserIds.filter((id) => id !== userId)
  const changed: MessageReaction = {
    ...found,
    hasReacted,
    count: found.count + (hasReacted ? 1 : -1),
    previewUserIds: hasReacted ? [...others, userId] : others,
  }
  return reactions.flatMap((one) => (one !== found ? [one] : changed.count > 0 ? [changed] : []))
}
