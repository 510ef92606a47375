import type { PagePreview } from '@parley/contracts/internal'

/** Later records may refer to a person by id. */
export type ArchivedPerson = {
  type: 'person'
  id: string
  name: string
  displayName: string
  email: string
  deleted: boolean
  createdAt?: Date | undefined
  location: string
}

export type ArchivedGroup = { type: 'group'; id: string; name: string; description: string; location: string }

/** The members and messages of a room follow until the next room. */
export type ArchivedRoom = {
  type: 'room'
  id: string
  dm: boolean
  name: string
  description: string
  /** If absent or not a group of the archive, the room is created in the group that the command names. */
  groupId?: string | undefined
  private: boolean
  universal: boolean
  archived: boolean
  createdAt?: Date | undefined
  location: string
}

export type ArchivedMembers = { type: 'members'; people: string[]; location: string }

export type ArchivedFile = {
  id: string
  name: string
  contentType: string
  /** Archives need not state the size. */
  size?: number
  bytes: (() => Promise<{ size: number; stream: AsyncIterable<Uint8Array> }>) | undefined
}

export type ArchivedMessage = {
  type: 'message'
  id: string
  author: string
  createdAt: Date
  updatedAt?: Date | undefined
  deletedAt?: Date | undefined
  text: string
  markup: 'slack' | 'markdown'
  threadRoot: string
  inReplyTo: string
  alsoInChannel: boolean
  reactions: { emoji: string; people: string[] }[]
  files: ArchivedFile[]
  preview?: PagePreview | undefined
  location: string
}

export type Skipped = { type: 'skipped'; what: string; reason: string; location: string }

/** Every record refers only to earlier ones. */
export type ArchiveRecord = ArchivedPerson | ArchivedGroup | ArchivedRoom | ArchivedMembers | ArchivedMessage | Skipped
