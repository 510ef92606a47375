import { VideoStateSchema } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'
import type { NewAttachment, NewFollower, NewPost } from './new-post.ts'

const processing = bytesOf(encode(VideoStateSchema, { status: 'processing' }))

/** Converts a post to the JSON that `append_posts` reads; `n` is its number. */
export function toPostRow(post: NewPost, n: number): object {
  const { entry, reply, key, linkPreview } = post
  return {
    n,
    author: post.authorId,
    open: post.openToAuthor,
    key: key ?? null,
    digest: bytesOf(post.digest),
    event_id: post.eventId,
    created_at: post.createdAt,
    body: post.body,
    in_reply_to: post.inReplyTo || null,
    subject: entry.subject,
    payload: bytesOf(entry.payload),
    holes: entry.holes,
    link_preview: linkPreview ? bytesOf(linkPreview) : null,
    attachments: post.attachments.map(toAttachmentRow),
    pending: post.mentionsPending,
    root: reply?.rootEventId ?? null,
    created_delivery: reply ? bytesOf(reply.createdDelivery) : null,
    followers: reply?.followers.map(toFollowerRow) ?? [],
    echo: reply?.echo?.eventId ?? null,
    echo_subject: reply?.echo?.entry.subject ?? null,
    echo_payload: reply?.echo ? bytesOf(reply.echo.entry.payload) : null,
    echo_holes: reply?.echo?.entry.holes ?? null,
  }
}

const toAttachmentRow = (attachment: NewAttachment, position: number) => {
  const { assetId, filename, contentType, size, width, height, toBeProcessed } = attachment
  return {
    position,
    asset_id: assetId,
    filename,
    content_type: contentType,
    size: size.toString(),
    width,
    height,
    video: toBeProcessed ? processing : null,
  }
}

const toFollowerRow = ({ userId, why, open, delivery }: NewFollower, nth: number) => ({
  nth,
  user_id: userId,
  why,
  open,
  delivery: bytesOf(delivery),
})

/** The text representation of a bytea in PostgreSQL. */
function bytesOf(value: Uint8Array): string {
  return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
}
