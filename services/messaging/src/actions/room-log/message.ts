import type { Subject } from '@parley/permissions'
import type { Draft } from '../../domain/draft.ts'
import type { Mentioned } from '../../domain/mentions/mentioned.ts'
import type { Placement } from '../../domain/placement.ts'
import type { Posting } from '../../policy/room-access.ts'
import type { NewAttachment } from '../../store/new-post.ts'
import type { Posted } from '../../view/posted-event.ts'

/** One request to post. */
export type Post = {
  caller: Subject
  draft: Draft
  key: string | undefined
  digest: Buffer
  /** Fires when nobody waits for the answer any more. */
  signal: AbortSignal
}

/** What a message shows besides its text. */
export type Parts = { attachments: readonly NewAttachment[]; linkPreview: Uint8Array | undefined }

/** A message that can be written. */
export type Message = Posted & {
  post: Post
  placement: Placement
  echoEventId: string | undefined
  mentioned: Mentioned
  parts: Parts
}

/** How it went for a message: its place, that its key or a file is taken, or what kept it from being written. */
export type Written = { seq: bigint } | 'taken' | Error

/** What permissions have to say about the message. */
export const posting = (draft: Draft, placement: Placement): Posting => ({
  inThread: placement.thread !== undefined,
  withEcho: draft.withEcho,
  withAttachments: draft.attachmentAssetIds.length > 0,
})
