import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { isShown, maxEmojis } from '../../domain/changeable.ts'
import { assertEmoji } from '../../domain/emoji.ts'
import type { Tally } from '../../domain/tally.ts'
import { messageNotFound, tooManyEmojis } from '../../errors.ts'
import { assertMayReact } from '../../policy/message-changes.ts'
import { addReaction, findTally, removeReaction } from '../../store/reactions.ts'
import { toReactionEvent } from '../../view/change-events.ts'
import { changeMessage, occurrence, type Change, type Found, type Target } from './change.ts'

/** A reaction to add or remove. */
export type React = Target & { emoji: string; change: 'add' | 'remove' }

/** Whether anything changed, and the resulting reactions with that emoji. */
export type Reacted = { changed: boolean; tally: Tally | undefined }

/** Adds or removes a reaction of the caller. A reaction to an echo counts for its reply. */
export async function react(ctx: Context, caller: Subject, request: React): Promise<Reacted> {
  const { roomId, emoji } = request
  assertEmoji(emoji)
  const { kind, found } = await changeMessage(ctx, caller, request, (found) =>
    planReaction(ctx, caller, request, found),
  )
  const tally = await findTally(ctx.pool, { roomId, seq: found.message.seq, emoji, userId: caller.userId })
  return { changed: kind === 'written', tally }
}

function planReaction(ctx: Context, caller: Subject, { emoji, change }: React, found: Found): Change | undefined {
  const { room, message } = found
  if (!isShown(message)) throw messageNotFound()
  assertMayReact({ policy: ctx.policy(), caller, room }, change)
  if (message.reacted === (change === 'add')) return undefined
  if (change === 'add' && !message.takesEmoji) throw tooManyEmojis(maxEmojis)
  const now = ctx.now()
  const reaction = { roomId: room.roomId, seq: message.seq, emoji, userId: caller.userId }
  const at = occurrence(room, caller, now)
  const kind = change === 'add' ? 'reaction_added' : 'reaction_removed'
  return {
    write: (on) => (change === 'add' ? addReaction(on, reaction, now, at.place) : removeReaction(on, reaction)),
    events: [toReactionEvent(at, kind, { eventId: message.eventId, emoji })],
  }
}
