import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { isVisible } from '../../domain/body.ts'
import { isShown } from '../../domain/changeable.ts'
import { decodePreview } from '../../domain/page-preview.ts'
import { attachmentNotFound, linkPreviewNotFound, messageNotFound } from '../../errors.ts'
import { assertAuthor } from '../../policy/message-changes.ts'
import { dropAttachment, dropLinkPreview } from '../../store/edits.ts'
import { toEditedEvent, type Removed } from '../../view/change-events.ts'
import { occurrence, type Change, type Found } from './change.ts'
import { retracting } from './retract.ts'

/**
 * Removes an attachment; only the author may, even in archived rooms. Retracts the message if nothing else is left of
 * it.
 */
export function planWithoutAttachment(ctx: Context, caller: Subject, assetId: string, found: Found): Change {
  const message = ownMessage(caller, found)
  if (!message.attachmentIds.includes(assetId)) throw attachmentNotFound()
  if (message.attachmentIds.length === 1 && !isVisible(message.body)) return retracting(found, caller, ctx.now())
  const now = ctx.now()
  const placed = { roomId: found.room.roomId, seq: message.seq }
  return {
    write: (on) => dropAttachment(on, placed, assetId, now),
    events: [edited(found, caller, now, { assetIds: [assetId], previewImageKey: '' })],
  }
}

/** Removes the preview of that address; only the author may, even in archived rooms. */
export function planWithoutPreview(ctx: Context, caller: Subject, url: string, found: Found): Change {
  const message = ownMessage(caller, found)
  const preview = message.linkPreview && decodePreview(message.linkPreview)
  if (preview?.url !== url) throw linkPreviewNotFound()
  const now = ctx.now()
  return {
    write: (on) => dropLinkPreview(on, { roomId: found.room.roomId, seq: message.seq }, now),
    events: [edited(found, caller, now, { assetIds: [], previewImageKey: preview.imageKey })],
  }
}

function ownMessage(caller: Subject, { message }: Found) {
  if (!isShown(message)) throw messageNotFound()
  assertAuthor(caller, message)
  return message
}

function edited({ room, message }: Found, caller: Subject, now: Date, removed: Removed) {
  const { eventId, threadRootEventId, echo } = message
  const change = { eventId, threadRootEventId: threadRootEventId ?? '', echoEventId: echo?.eventId }
  return toEditedEvent(occurrence(room, caller, now), change, removed)
}
