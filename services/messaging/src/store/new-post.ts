import type { EntryWithHoles } from '../domain/entry-holes.ts'
import type { UsedKey } from './message-keys.ts'

export type NewAttachment = {
  assetId: string
  filename: string
  contentType: string
  size: bigint
  width: number
  height: number
  toBeProcessed: boolean
}

export type NewFollower = {
  userId: string
  /**
   * The author of a reply always follows. A mentioned member, and at the first reply the root's author, follows unless
   * that user has decided about the thread before.
   */
  why: 'author' | 'root_author' | 'mentioned'
  /** A member without an explicit membership, as in a universal room. */
  isImplicitMember: boolean
  followedDelivery: Buffer
}

export type NewReply = {
  rootEventId: string
  /** Encoded; appended to the outbox entry if the reply is the first. */
  threadCreatedDelivery: Buffer
  followers: readonly NewFollower[]
  echo: { eventId: string; entry: EntryWithHoles } | undefined
}

export type NewPost = {
  authorId: string
  /** As `isImplicitMember` of a follower. */
  authorIsImplicitMember: boolean
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

export type AppendedPost =
  | { kind: 'written'; seq: bigint }
  /** The room has another version, or the author is banned, deleted or not a member. */
  | { kind: 'unmet' }
  | { kind: 'keyTaken'; used: UsedKey }
  | { kind: 'fileTaken'; assetId: string }

/** `entries`: outbox ids. The first post of a statement has all of them. */
export type Appended = { post: AppendedPost; entries: bigint[] }

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
  // Checked before the files, because those of a repeated call were attached by the first call with the key.
  if (row.eventId !== null) {
    const { digest, roomId, eventId } = row
    return { kind: 'keyTaken', used: { digest, roomId, eventId } }
  }
  if (file === null) throw new Error('a post was neither written nor refused')
  return { kind: 'fileTaken', assetId: file }
}

export type RoomVersion = { roomId: string; version: bigint }

/** Whether `appendMessage` can write the post: only text, not in a thread, and all mentions resolved. */
export const isPlain = (post: NewPost): boolean =>
  !post.reply && post.attachments.length === 0 && !post.linkPreview && !post.mentionsPending
