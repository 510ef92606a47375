import { create } from '@bufbuild/protobuf'
import { PagePreviewSchema, type PagePreview } from '@parley/contracts/internal'

export const formatVersion = 1
export const formatName = 'parley-export'

/** Each line is a JSON object, and refers only to lines above it. */
export type Line =
  | { type: 'header'; format: typeof formatName; version: number; server: string; exportedAt: string }
  | PersonLine
  | { type: 'group'; id: string; name: string; description: string }
  | RoomLine
  | { type: 'members'; people: string[] }
  | MessageLine
  /** The last line; a file without it is incomplete. */
  | { type: 'end'; messages: number }

export type PersonLine = {
  type: 'person'
  id: string
  login: string
  displayName: string
  emails: string[]
  deleted: boolean
  createdAt: string
}

export type RoomLine = {
  type: 'room'
  id: string
  kind: 'channel' | 'dm'
  name: string
  description: string
  group: string
  private: boolean
  universal: boolean
  archived: boolean
  createdAt: string
}

export type AttachmentLine = {
  asset: string
  filename: string
  contentType: string
  size: number
  width: number
  height: number
}
export type PreviewLine = Pick<PagePreview, 'url' | 'title' | 'description' | 'siteName' | 'embedType' | 'embedId'>

export type MessageLine = {
  type: 'message'
  id: string
  author: string
  createdAt: string
  updatedAt?: string
  deletedAt?: string
  body?: string
  threadRoot?: string
  inReplyTo?: string
  alsoInChannel?: true
  reactions?: { emoji: string; people: string[] }[]
  attachments?: AttachmentLine[]
  preview?: PreviewLine
}

export const toPreview = (line: PreviewLine): PagePreview => create(PagePreviewSchema, line)
