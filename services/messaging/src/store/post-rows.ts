import type { NewAttachment, NewFollower, NewPost } from './new-post.ts'

/** A post as `append_posts` reads it. */
export function toPostRow(post: NewPost, n: number): object {
  const { entry, reply, key, linkPreview } = post
  return {
    n,
    author: post.authorId,
    open: post.openToAuthor,
    key: key ?? null,
    digest: bytes(post.digest),
    event_id: post.eventId,
    created_at: post.createdAt,
    body: post.body,
    in_reply_to: post.inReplyTo || null,
    payload: bytes(entry.payload),
    holes: entry.holes,
    link_preview: linkPreview ? bytes(linkPreview) : null,
    attachments: post.attachments.map(toAttachmentRow),
    pending: post.mentionsPending,
    root: reply?.rootEventId ?? null,
    created_rider: reply ? bytes(reply.createdRider) : null,
    followers: reply?.followers.map(toFollowerRow) ?? [],
    echo: reply?.echo?.eventId ?? null,
    echo_payload: reply?.echo ? bytes(reply.echo.entry.payload) : null,
    echo_holes: reply?.echo?.entry.holes ?? null,
  }
}

const toAttachmentRow = ({ assetId, filename, contentType, size, width, height }: NewAttachment, position: number) => ({
  position,
  asset_id: assetId,
  filename,
  content_type: contentType,
  size: size.toString(),
  width,
  height,
})

const toFollowerRow = ({ userId, why, open, rider }: NewFollower, nth: number) => ({
  nth,
  user_id: userId,
  why,
  open,
  rider: bytes(rider),
})

/** As PostgreSQL reads bytea in text. */
const bytes = (value: Uint8Array) =>
  `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
