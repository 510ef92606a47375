import { Code, ConnectError } from '@connectrpc/connect'
import type { Permission } from '@parley/auth'
import { isDm, type RoomHeader } from './domain/room-line.ts'

export const roomNotFound = () => new ConnectError('room not found', Code.NotFound)
export const messageNotFound = () => new ConnectError('message not found', Code.NotFound)
export const eventNotFound = () => new ConnectError('no such event in the timeline of the room', Code.NotFound)
export const threadRootNotFound = () => new ConnectError('thread root not found in the room', Code.NotFound)

export const attachmentNotFound = () => new ConnectError('the message has no such attachment', Code.NotFound)
export const linkPreviewNotFound = () => new ConnectError('the message shows no preview of that url', Code.NotFound)
export const tooManyPreviews = (most: number) =>
  new ConnectError(`${most} pages are looked at for you already; try again`, Code.ResourceExhausted, {
    'retry-after': '5',
  })
export const tooManyReads = () =>
  new ConnectError('too many pages are read at once; try again', Code.ResourceExhausted, { 'retry-after': '1' })
export const previewsUnavailable = (cause: unknown) =>
  new ConnectError('pages cannot be looked at now; try again', Code.Unavailable, undefined, undefined, cause)

/** A direct conversation does not exist for whoever has no part in it. */
export const notAMember = (room: Pick<RoomHeader, 'kind'>) =>
  isDm(room)
    ? roomNotFound()
    : new ConnectError('permission denied: you are not a member of this room', Code.PermissionDenied)
export const lacksPermission = (permission: Permission) =>
  new ConnectError(`permission denied: this needs ${permission} in this room`, Code.PermissionDenied)

export const notTheAuthor = () =>
  new ConnectError('permission denied: only the author of the message may do that', Code.PermissionDenied)

const unmet = (message: string) => new ConnectError(message, Code.FailedPrecondition)
export const roomArchived = () => unmet('the room is archived')
export const editWindowOver = (windowMs: number) =>
  unmet(`the message can no longer be edited: authors may for ${Math.round(windowMs / 1000)} seconds after posting`)
export const tooManyEmojis = (most: number) =>
  unmet(`the message has reactions with ${most} different emojis, and takes no other one`)

const invalid = (message: string) => new ConnectError(message, Code.InvalidArgument)
export const bodyTooLong = (maxBytes: number) => invalid(`body: at most ${maxBytes} bytes of UTF-8`)
export const bodyEmpty = () => invalid('body: at least one visible character is required without attachments')
export const bodyHasNul = () => invalid('body: the character U+0000 is not allowed')
export const unknownAttachment = (id: string) =>
  invalid(`attachment_asset_ids: ${id} is unknown, expired or not usable here`)
export const attachedTwice = (id: string) => invalid(`attachment_asset_ids: ${id} is given twice`)
export const unknownLinkPreview = () => invalid('link_preview_token: unknown or expired')
export const echoWithoutThread = () => invalid('also_send_to_channel: only a reply in a thread has a channel echo')
export const replyTargetUnknown = () => invalid('in_reply_to: not a message of this room')
export const replyTargetElsewhere = () => invalid('in_reply_to: not a message of the thread')
export const threadRootInvalid = () =>
  invalid('thread_root_event_id: a thread starts at a message that is itself no reply')
export const typingElsewhere = () => invalid('thread_root_event_id: not the id of an event')
export const notReadInRoom = () => invalid('up_to_event_id: not a root message of the room')
export const notReadInThread = () => invalid('up_to_event_id: not a message of the thread')
export const threadInDm = () => invalid('direct messages have no threads')
export const emojiUnknown = () => invalid('emoji: not a known shortcode; give one without colons, such as thumbsup')
export const nothingToUpdate = () => invalid('nothing to change: body or also_send_to_channel is required')
export const cursorInvalid = () => invalid('cursor: not one that this server issued')
export const keyReused = () => invalid('Idempotency-Key: already used for another request')
export const roomEventBad = (kind: string) =>
  invalid(
    `events: ${kind || 'one'} has no id or version, or tells of something else than a call or an asset of this room`,
  )
export const firstFactMissing = () => invalid('facts: the first one makes the room and has version 1, no other does')

export const roomBusy = () =>
  new ConnectError('too much waits to be written into this room; try again', Code.Unavailable)
export const givenUp = () => new ConnectError('the call was given up before it changed anything', Code.Canceled)

export const factKindUnknown = (version: bigint) =>
  new ConnectError(`fact ${version} is of a kind this process does not know`, Code.Unimplemented)

export const importedIdMissing = () =>
  invalid('whatever is imported has a source and an id there, of at most 200 characters')
export const importedAuthorMissing = () => invalid('a message has an author')
export const importedTimeBad = () => invalid('a time lies before 2000 or in the future')
export const importedMessageBad = (externalId: string, why: string) =>
  invalid(`message ${externalId.slice(0, 200)}: ${why}`)
export const tooManyAtOnce = (what: string, most: number) => invalid(`at most ${most} ${what} at once`)
export const importElsewhere = () =>
  unmet('the room holds messages that are not of this import; it can only go into a room of its own')
export const noImport = () => new ConnectError('nothing was imported into the room', Code.NotFound)
