import type { ConnectError } from '@connectrpc/connect'
import type { Subject } from '@parley/permissions'
import type { Draft } from '../../domain/draft.ts'
import type { Mentioned } from '../../domain/mentions/mentioned.ts'
import type { Placement } from '../../domain/placement.ts'
import type { Posting } from '../../policy/room-access.ts'
import type { AppendedPost, NewAttachment } from '../../store/new-post.ts'
import type { Posted } from '../../view/posted-event.ts'

/** One request to post. */
export type Post = {
  caller: Subject
  draft: Draft
  key: string | undefined
  digest: Buffer
}

/** The parts of a message besides its text. */
export type Parts = { attachments: readonly NewAttachment[]; linkPreview: Uint8Array | undefined }

/** A message that can be written. */
export type Message = Posted & {
  post: Post
  placement: Placement
  echoEventId: string | undefined
  mentioned: Mentioned
  parts: Parts
}

/** The outcome for one message. Refusals are found before anything is written. */
export type WrittenPost = Exclude<AppendedPost, { kind: 'unmet' }> | { kind: 'refused'; error: ConnectError }

/** The properties of a message on which permissions depend. */
export const posting = (draft: Draft, placement: Placement): Posting => ({
  inThread: placement.thread !== undefined,
  withEcho: draft.withEcho,
  withAttachments: draft.attachmentAssetIds.length > 0,
})
