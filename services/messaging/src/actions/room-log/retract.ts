import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import type { ChangeableMessage } from '../../domain/changeable.ts'
import { previewImageKey } from '../../domain/page-preview.ts'
import { assertMayRetract } from '../../policy/message-changes.ts'
import { retractMessage, removeEcho } from '../../store/retractions.ts'
import { nothingRemoved, toRetractedEvent } from '../../view/change-events.ts'
import { toChangeHeader, type Change, type FoundMessage } from './change.ts'

/**
 * Retracts a message with its echo, or only the echo if the request names the echo. Returns undefined if that is done
 * already.
 */
export function planRetraction(ctx: Context, caller: Subject, found: FoundMessage): Change | undefined {
  const { room, message } = found
  assertMayRetract({ policy: ctx.policy(), caller, room }, message)
  const now = ctx.now()
  if (message.retracted || message.requested === 'removed echo') return undefined
  if (message.requested === 'echo') return message.echo && buildEchoRemoval(found, message.echo, caller, now)
  return buildRetraction(found, caller, now)
}

export function buildRetraction({ room, message }: FoundMessage, caller: Subject, now: Date): Change {
  const { seq, eventId, authorId, threadRootEventId, echo, attachmentIds, linkPreview } = message
  const places = echo ? [seq, echo.seq] : [seq]
  const channelEchoEventId = echo?.eventId ?? ''
  const retracted = { eventId, threadRootEventId: threadRootEventId ?? '', channelEchoEventId, echoOnly: false }
  const removed = { assetIds: attachmentIds, previewImageKey: previewImageKey(linkPreview) }
  return {
    write: (on) => retractMessage(on, { roomId: room.roomId, places, threadRootEventId, authorId }, now),
    events: [toRetractedEvent(toChangeHeader(room, caller, now), retracted, removed)],
  }
}

/** `skipped`: places taken by earlier events of the change. */
export function buildEchoRemoval(
  { room, message }: FoundMessage,
  echo: NonNullable<ChangeableMessage['echo']>,
  caller: Subject,
  now: Date,
  skipped = 0,
): Change {
  const { eventId, seq } = echo
  const threadRootEventId = message.threadRootEventId ?? ''
  const retracted = { eventId, threadRootEventId, channelEchoEventId: '', echoOnly: true }
  return {
    write: (on) => removeEcho(on, { roomId: room.roomId, replySeq: message.seq, seq }, now),
    events: [toRetractedEvent(toChangeHeader(room, caller, now, skipped), retracted, nothingRemoved)],
  }
}
