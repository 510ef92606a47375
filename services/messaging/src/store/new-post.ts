import type { EntryWithHoles } from '../domain/entry-holes.ts'
import type { UsedKey } from './message-keys.ts'

/** A file that a message attaches. */
export type NewAttachment = {
  assetId: string
  filename: string
  contentType: string
  size: bigint
  width: number
  height: number
  /** A video that is processed once the message is posted. */
  toBeProcessed: boolean
}

/** A user who follows the thread because of the reply, with the bytes added to the outbox entry in that case. */
export type NewFollower = {
  userId: string
  /**
   * The author of a reply always follows. A mentioned member follows unless they decided otherwise; so does the author
   * of the root, if still a member, at the first reply.
   */
  why: 'author' | 'root_author' | 'mentioned'
  /** Whether the user is a member even without an explicit membership, as in a universal room. */
  open: boolean
  rider: Buffer
}

/** Further properties of a reply in a thread. */
export type NewReply = {
  rootEventId: string
  /** Bytes to append to the entry if the reply is the first one. */
  createdRider: Buffer
  followers: readonly NewFollower[]
  echo: { eventId: string; entry: EntryWithHoles } | undefined
}

/** A post that is about to be written. */
export type NewPost = {
  authorId: string
  /** Whether the author is a member even without an explicit membership, as in a universal room. */
  openToAuthor: boolean
  key: string | undefined
  digest: Uint8Array
  eventId: string
  createdAt: Date
  body: string
  inReplyTo: string
  entry: EntryWithHoles
  linkPreview: Uint8Array | undefined
  attachments: readonly NewAttachment[]
  mentionsPending: boolean
  reply: NewReply | undefined
}

/** Outcome of a post. */
export type AppendedPost =
  | { kind: 'written'; seq: bigint }
  /** The version of the room differs, or the author is no member or banned. */
  | { kind: 'unmet' }
  /** The idempotency key was used before. */
  | { kind: 'keyTaken'; used: UsedKey }
  /** A message has the file already. */
  | { kind: 'fileTaken'; assetId: string }

/** The outcome, and with the first post the outbox entries that the statement wrote. */
export type Appended = { post: AppendedPost; entries: bigint[] }

export type AppendedRow = { met: boolean; seq: bigint | null; entries: bigint[]; file: string | null } & (
  | UsedKey
  | { eventId: null }
)

export function toAppended(row: AppendedRow): Appended {
  return { post: appendedPost(row), entries: row.entries }
}

function appendedPost(row: AppendedRow): AppendedPost {
  const { met, seq, file } = row
  if (!met) return { kind: 'unmet' }
  if (seq !== null) return { kind: 'written', seq }
  // Checked before the files, because the message of the first call already uses the files of a repeated call.
  if (row.eventId !== null) {
    const { digest, roomId, eventId } = row
    return { kind: 'keyTaken', used: { digest, roomId, eventId } }
  }
  if (file === null) throw new Error('a post was neither written nor refused')
  return { kind: 'fileTaken', assetId: file }
}

/** The state of a room with which permissions were resolved. */
export type At = { roomId: string; version: bigint }

/** Whether the short statement for a single post can write it. */
export const isPlain = (post: NewPost): boolean =>
  !post.reply && post.attachments.length === 0 && !post.linkPreview && !post.mentionsPending
