import type { PagePreview } from '@parley/contracts/internal'

/** A person to whom later records may refer by id. */
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

/** A room; its members and messages follow until the next room. */
export type ArchivedRoom = {
  type: 'room'
  id: string
  dm: boolean
  name: string
  description: string
  /** Id of a group of the archive; without it the room is created in the group that the command names. */
  groupId?: string | undefined
  private: boolean
  universal: boolean
  archived: boolean
  createdAt?: Date | undefined
  location: string
}

export type ArchivedMembers = { type: 'members'; people: string[]; location: string }

/** A file, possibly with its bytes. */
export type ArchivedFile = {
  id: string
  name: string
  contentType: string
  /** In bytes, if the archive states it. */
  size?: number
  /** Undefined if the archive does not contain the bytes. */
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

/** A part of the archive that cannot be imported, with the reason. */
export type Skipped = { type: 'skipped'; what: string; reason: string; location: string }

/** The content of an archive, ordered so that every record refers only to earlier ones. */
export type ArchiveRecord = ArchivedPerson | ArchivedGroup | ArchivedRoom | ArchivedMembers | ArchivedMessage | Skipped
