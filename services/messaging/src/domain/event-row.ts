import type { Tally } from './tally.ts'

export type AttachmentRow = {
  assetId: string
  filename: string
  contentType: string
  /** In pixels; 0 if the file is not an image. */
  width: number
  height: number
  video: string | null
}

/** An echo has the text, files, preview, reactions and `inReplyTo` of its reply. */
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
  /** The user who wrote the message, joined, left or changed the room; empty for the system. */
  actorId: string
  createdAt: Date
  updatedAt: Date | null
  deletedAt: Date | null
  body: string | null
  bytes: number
  attachments: AttachmentRow[] | null
  linkPreview: Uint8Array | null
  reactions: Tally[] | null
  inReplyTo: string | null
  threadRootEventId: string | null
  /** Of an echo: the id of its reply. */
  echoOfEventId: string | null
  /** Of an echo: the root of the thread that contains its reply. */
  echoFromThreadRootEventId: string | null
  /** Of a reply: the id of its echo. */
  channelEchoEventId: string | null
  /** Replies in the thread that starts here; 0 if all are retracted, null if there never was one. */
  replyCount: number | null
  lastReplyAt: Date | null
  /** At most 50, in the order of their first reply; null if there never was one. */
  participantIds: string[] | null
  /** Whether the reader follows the thread that starts here; null if undecided. */
  isFollowing: boolean | null
}
