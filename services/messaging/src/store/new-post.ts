import type { EntryWithHoles } from '../domain/entry-holes.ts'
import type { UsedKey } from './message-keys.ts'

/** A file to attach to a message. */
export type NewAttachment = {
  assetId: string
  filename: string
  contentType: string
  size: bigint
  width: number
  height: number
  /** Whether the file is a video that is processed once the message is posted. */
  toBeProcessed: boolean
}

/** A user who may follow the thread because of the reply. */
export type NewFollower = {
  userId: string
  /**
   * The author of a reply always follows. A mentioned member follows, and at the first reply the author of the root,
   * unless they have decided about the thread before.
   */
  why: 'author' | 'root_author' | 'mentioned'
  /** Whether the user is a member even without an explicit membership, as in a universal room. */
  open: boolean
  /** Encoded delivery to the user, appended to the outbox entry if they start to follow. */
  delivery: Buffer
}

/** Additional properties of a reply in a thread. */
export type NewReply = {
  rootEventId: string
  /** Encoded delivery to the room, appended to the outbox entry if the reply is the first one. */
  threadCreatedDelivery: Buffer
  followers: readonly NewFollower[]
  echo: { eventId: string; entry: EntryWithHoles } | undefined
}

/** A post that is about to be written. */
export type NewPost = {
  authorId: string
  /** Whether the author is a member even without an explicit membership, as in a universal room. */
  openToAuthor: boolean
  key: string | undefined
  /** Digest of the request, compared if the key is used again. */
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

/** What became of a post. */
export type AppendedPost =
  | { kind: 'written'; seq: bigint }
  /** The room has another version, or the author is banned, deleted or not a member. */
  | { kind: 'unmet' }
  /** The idempotency key was used before. */
  | { kind: 'keyTaken'; used: UsedKey }
  /** The file is already attached to a message. */
  | { kind: 'fileTaken'; assetId: string }

/** What became of a post, and outbox ids: the first post of a statement has all that the statement wrote. */
export type Appended = { post: AppendedPost; entries: bigint[] }

/**
 * A row of a statement that appends. `met`: whether the room and the author are as a post requires; `file`: id of a
 * file that is already attached.
 */
export type AppendedRow = { met: boolean; seq: bigint | null; entries: bigint[]; file: string | null } & (
  | UsedKey
  | { eventId: null }
)

export function toAppended(row: AppendedRow): Appended {
  return { post: toAppendedPost(row), entries: row.entries }
}

function toAppendedPost(row: AppendedRow): AppendedPost {
  const { met, seq, file } = row
  if (!met) return { kind: 'unmet' }
  if (seq !== null) return { kind: 'written', seq }
  // The key is checked before the files, because a repeated call finds its files attached by the first call.
  if (row.eventId !== null) {
    const { digest, roomId, eventId } = row
    return { kind: 'keyTaken', used: { digest, roomId, eventId } }
  }
  if (file === null) throw new Error('a post was neither written nor refused')
  return { kind: 'fileTaken', assetId: file }
}

/** The version of a room with which permissions were resolved. */
export type RoomVersion = { roomId: string; version: bigint }

/** Whether `appendMessage` can write the post: it has only text, is not in a thread, and its mentions are resolved. */
export const isPlain = (post: NewPost): boolean =>
  !post.reply && post.attachments.length === 0 && !post.linkPreview && !post.mentionsPending
