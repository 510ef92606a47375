import type { Tally } from './tally.ts'

/** A file of a message. */
export type AttachmentRow = {
  assetId: string
  filename: string
  contentType: string
  /** In pixels; 0 if the file is not an image. */
  width: number
  height: number
  /** Base64 of an encoded svc.internal.v1.VideoState; null for files that are not processed. */
  video: string | null
}

/** A row of a timeline or thread. An echo has the text, files, preview, reactions and `inReplyTo` of its reply. */
export type EventRow = {
  seq: bigint
  eventId: string
  kind:
    | 'message_posted'
    | 'room_created'
    | 'room_updated'
    | 'room_archived'
    | 'room_unarchived'
    | 'user_joined_room'
    | 'user_left_room'
  /** Author, who joined or left, or who changed the room; empty for the system. */
  actorId: string
  createdAt: Date
  updatedAt: Date | null
  deletedAt: Date | null
  body: string | null
  /** Number of bytes that the row adds to a page. */
  bytes: number
  /** In display order; null for none. */
  attachments: AttachmentRow[] | null
  /** Encoded svc.internal.v1.PagePreview. */
  linkPreview: Uint8Array | null
  /** One per emoji, in order of first use; null for none. */
  reactions: Tally[] | null
  inReplyTo: string | null
  threadRootEventId: string | null
  echoOfEventId: string | null
  echoFromThreadRootEventId: string | null
  channelEchoEventId: string | null
  /** Number of replies in the thread that starts with this row; 0 if all are retracted, null if there never was one. */
  replyCount: number | null
  lastReplyAt: Date | null
  /** Authors of these replies, at most 50, in the order of their first reply; null if there never was one. */
  participantIds: string[] | null
  /** Whether the reader follows the thread that starts with this row; null if nothing is stored about it. */
  isFollowing: boolean | null
}
