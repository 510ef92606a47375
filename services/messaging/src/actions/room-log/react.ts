import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { isShown, maxEmojis } from '../../domain/changeable.ts'
import { assertEmoji } from '../../domain/emoji.ts'
import type { Tally } from '../../domain/tally.ts'
import { messageNotFound, tooManyEmojis } from '../../errors.ts'
import { assertMayReact } from '../../policy/message-changes.ts'
import {
  addReaction,
  addReactionWithEvent,
  findTally,
  removeReaction,
  removeReactionWithEvent,
} from '../../store/reactions.ts'
import { toReactionEvent } from '../../view/change-events.ts'
import { changeMessage, toChangeHeader, type Change, type FoundMessage, type Target } from './change.ts'

export type ReactionRequest = Target & { emoji: string; change: 'add' | 'remove' }

export type ReactionResult = { changed: boolean; tally: Tally | undefined }

export async function react(ctx: Context, caller: Subject, request: ReactionRequest): Promise<ReactionResult> {
  const { roomId, emoji } = request
  assertEmoji(emoji)
  const changed = await changeMessage(ctx, caller, request, (found) => planReaction(ctx, caller, request, found))
  if (changed.kind === 'written') return { changed: true, tally: changed.result }
  const { seq } = changed.found.message
  return { changed: false, tally: await findTally(ctx.pool, { roomId, seq, emoji, userId: caller.userId }) }
}

function planReaction(
  ctx: Context,
  caller: Subject,
  { emoji, change }: ReactionRequest,
  found: FoundMessage,
): Change<Tally | undefined> | undefined {
  const { room, message } = found
  if (!isShown(message)) throw messageNotFound()
  assertMayReact({ policy: ctx.policy(), caller, room }, change)
  if (message.hasReacted === (change === 'add')) return undefined
  if (change === 'add' && !message.acceptsEmoji) throw tooManyEmojis(maxEmojis)
  const now = ctx.now()
  const reaction = { roomId: room.roomId, seq: message.seq, emoji, userId: caller.userId }
  const header = toChangeHeader(room, caller, now)
  const kind = change === 'add' ? 'reaction_added' : 'reaction_removed'
  return {
    write: (on) => (change === 'add' ? addReaction(on, reaction, now, header.place) : removeReaction(on, reaction)),
    async writeInOneStatement(on, decided) {
      const written = await (change === 'add'
        ? addReactionWithEvent(on, decided, reaction, now)
        : removeReactionWithEvent(on, decided, reaction))
      return written && { entries: written.entries, result: written.tally }
    },
    events: [toReactionEvent(header, kind, { eventId: message.eventId, emoji })],
  }
}
