import type { Subject } from '@parley/permissions'
import type { Context } from '../../context.ts'
import { isVisible } from '../../domain/body.ts'
import { isShown } from '../../domain/changeable.ts'
import { decodePreview } from '../../domain/page-preview.ts'
import { attachmentNotFound, linkPreviewNotFound, messageNotFound } from '../../errors.ts'
import { assertAuthor } from '../../policy/message-changes.ts'
import { dropAttachment, dropLinkPreview } from '../../store/edits.ts'
import { toEditedEvent, type Removed } from '../../view/change-events.ts'
import { toChangeHeader, type Change, type FoundMessage } from './change.ts'
import { buildRetraction } from './retract.ts'

/**
 * The author may remove an attachment, also in an archived room; nobody else may. A message that is left without text
 * and attachments is retracted.
 */
export function planAttachmentRemoval(ctx: Context, caller: Subject, assetId: string, found: FoundMessage): Change {
  const message = getOwnMessage(caller, found)
  if (!message.attachmentIds.includes(assetId)) throw attachmentNotFound()
  if (message.attachmentIds.length === 1 && !isVisible(message.body)) return buildRetraction(found, caller, ctx.now())
  const now = ctx.now()
  const place = { roomId: found.room.roomId, seq: message.seq }
  return {
    write: (on) => dropAttachment(on, place, assetId, now),
    events: [toEdited(found, caller, now, { assetIds: [assetId], previewImageKey: '' })],
  }
}

/** The author may remove a preview, also in an archived room; nobody else may. */
export function planPreviewRemoval(ctx: Context, caller: Subject, url: string, found: FoundMessage): Change {
  const message = getOwnMessage(caller, found)
  const preview = message.linkPreview && decodePreview(message.linkPreview)
  if (preview?.url !== url) throw linkPreviewNotFound()
  const now = ctx.now()
  return {
    write: (on) => dropLinkPreview(on, { roomId: found.room.roomId, seq: message.seq }, now),
    events: [toEdited(found, caller, now, { assetIds: [], previewImageKey: preview.imageKey })],
  }
}

function getOwnMessage(caller: Subject, { message }: FoundMessage) {
  if (!isShown(message)) throw messageNotFound()
  assertAuthor(caller, message)
  return message
}

function toEdited({ room, message }: FoundMessage, caller: Subject, now: Date, removed: Removed) {
  const { eventId, threadRootEventId, echo } = message
  const change = { eventId, threadRootEventId: threadRootEventId ?? '', echoEventId: echo?.eventId }
  return toEditedEvent(toChangeHeader(room, caller, now), change, removed)
}
