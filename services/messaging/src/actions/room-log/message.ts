import type { ConnectError } from '@connectrpc/connect'
import type { Subject } from '@parley/permissions'
import type { Draft } from '../../domain/draft.ts'
import type { FoundMentions } from '../../domain/mentions/mentioned.ts'
import type { Placement } from '../../domain/placement.ts'
import type { PostProperties } from '../../policy/room-access.ts'
import type { AppendedPost, NewAttachment } from '../../store/new-post.ts'
import type { PostedMessage } from '../../view/posted-event.ts'

export type Post = {
  caller: Subject
  draft: Draft
  key: string | undefined
  digest: Buffer
}

export type Parts = { attachments: readonly NewAttachment[]; linkPreview: Uint8Array | undefined }

export type Message = PostedMessage & {
  post: Post
  placement: Placement
  echoEventId: string | undefined
  mentioned: FoundMentions
  parts: Parts
}

export type PostWriteOutcome = Exclude<AppendedPost, { kind: 'unmet' }> | { kind: 'refused'; error: ConnectError }

export const toPostProperties = (draft: Draft, placement: Placement): PostProperties => ({
  inThread: placement.thread !== undefined,
  withEcho: draft.withEcho,
  withAttachments: draft.attachmentAssetIds.length > 0,
})
