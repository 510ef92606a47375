import { Code, ConnectError } from '@connectrpc/connect'
import type { Permission } from '@parley/permissions'
import { isDm, type RoomHeader } from './domain/room-header.ts'

export const accountDeleted = () => new ConnectError('account not found: it was deleted', Code.Unauthenticated)
export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const messageNotFound = () => new ConnectError('message not found', Code.NotFound)
export const eventNotInTimeline = () => new ConnectError('event not found in the timeline of the room', Code.NotFound)
export const eventNotInThread = () => new ConnectError('event not found in the thread', Code.NotFound)
export const threadRootNotFound = () => new ConnectError('thread root not found in the room', Code.NotFound)

export const attachmentNotFound = () => new ConnectError('attachment not found in the message', Code.NotFound)
export const linkPreviewNotFound = () =>
  new ConnectError('link preview not found: the message has none for this URL', Code.NotFound)
export const tooManyPreviews = (max: number) =>
  new ConnectError(`too many link previews at once (at most ${max}); try again`, Code.ResourceExhausted, {
    'retry-after': '5',
  })
export const tooManyReads = () =>
  new ConnectError('too many requests for messages at once; try again', Code.ResourceExhausted, { 'retry-after': '1' })
export const previewsUnavailable = (cause: unknown) =>
  new ConnectError('link previews are not available; try again', Code.Unavailable, undefined, undefined, cause)

/** Only participants may learn that a direct message exists. */
export const notAMember = (room: Pick<RoomHeader, 'kind'>) =>
  isDm(room)
    ? roomNotFound()
    : new ConnectError('permission denied: you are not a member of this room', Code.PermissionDenied)
export const lacksPermission = (permission: Permission) =>
  new ConnectError(`permission denied: this needs ${permission} in this room`, Code.PermissionDenied)

export const notTheAuthor = () =>
  new ConnectError('permission denied: only the author of the message may do that', Code.PermissionDenied)

const failedPrecondition = (message: string) => new ConnectError(message, Code.FailedPrecondition)
export const roomArchived = () => failedPrecondition('the room is archived')
export const editWindowOver = (windowMs: number) =>
  failedPrecondition(
    `the message can no longer be edited: its author can do so for ${Math.round(windowMs / 1000)} seconds after posting`,
  )
export const tooManyEmojis = (max: number) =>
  failedPrecondition(`too many reactions: the message has ${max} different emojis already`)

const invalid = (message: string) => new ConnectError(message, Code.InvalidArgument)
export const bodyTooLong = (maxBytes: number) => invalid(`body: at most ${maxBytes} bytes of UTF-8`)
export const bodyEmpty = () => invalid('body: without attachments, at least one visible character is required')
export const bodyHasNul = () => invalid('body: the character U+0000 is not allowed')
export const unknownAttachment = (id: string) =>
  invalid(`attachment_asset_ids: ${id} is unknown, expired or not usable here`)
export const attachedTwice = (id: string) => invalid(`attachment_asset_ids: ${id} is given twice`)
export const unknownLinkPreview = () => invalid('link_preview_token: unknown or expired')
export const echoWithoutThread = () => invalid('also_send_to_channel: only a reply in a thread has a channel echo')
export const replyTargetUnknown = () => invalid('in_reply_to: not a message of this room')
export const replyTargetElsewhere = () => invalid('in_reply_to: not a message of the thread')
export const threadRootInvalid = () => invalid('thread_root_event_id: not a message that can start a thread')
export const threadRootNotAnId = () => invalid('thread_root_event_id: not the id of an event')
export const readTargetNotInRoom = () => invalid('up_to_event_id: not a root message or channel echo of the room')
export const readTargetNotInThread = () => invalid('up_to_event_id: not a message of the thread')
export const threadInDm = () => invalid('direct messages have no threads')
export const emojiUnknown = () => invalid('emoji: not a known shortcode; give one without colons, such as thumbsup')
export const nothingToUpdate = () => invalid('nothing to change: body or also_send_to_channel is required')
export const cursorInvalid = () => invalid('cursor: not one that this server issued')
export const keyReused = () => invalid('Idempotency-Key: already used for another request')
export const roomEventInvalid = (kind: string) =>
  invalid(`events: not a valid event of a call or an asset in this room: ${kind || 'one without a kind'}`)
export const createdFactMisplaced = () => invalid('facts: the first fact of a room, and no other, must create the room')

export const roomBusy = () => new ConnectError('too many changes of this room at once; try again', Code.Unavailable)
export const callCanceled = () => new ConnectError('the call was canceled before it changed anything', Code.Canceled)

export const factKindUnknown = (version: bigint) =>
  new ConnectError(`fact ${version} has a kind that this release does not know`, Code.Unimplemented)

export const importedIdInvalid = () =>
  invalid('source and external id: required; ids have at most 200 characters, without U+0000')
export const importedAuthorMissing = () => invalid('the author is missing')
export const importedTimeInvalid = () => invalid('invalid time: missing, before 2000, or more than a day in the future')
export const importedMessageInvalid = (externalId: string, why: string) =>
  invalid(`message ${externalId.slice(0, 200)}: ${why}`)
export const tooManyAtOnce = (what: string, max: number) => invalid(`at most ${max} ${what} per call`)
export const roomHasOtherMessages = () =>
  failedPrecondition('the room contains messages that are not from this import: import into an empty room')
export const importNotFound = () =>
  new ConnectError('import not found: nothing was imported into the room', Code.NotFound)
