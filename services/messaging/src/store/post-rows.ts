import { VideoStateSchema } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'
import type { NewAttachment, NewFollower, NewPost } from './new-post.ts'

const processingState = toByteaText(encode(VideoStateSchema, { status: 'processing' }))

export function toPostRow(post: NewPost, n: number): object {
  const { entry, reply, key, linkPreview } = post
  return {
    n,
    author: post.authorId,
    open: post.authorIsImplicitMember,
    key: key ?? null,
    digest: toByteaText(post.digest),
    event_id: post.eventId,
    created_at: post.createdAt,
    body: post.body,
    in_reply_to: post.inReplyTo || null,
    subject: entry.subject,
    payload: toByteaText(entry.payload),
    holes: entry.holes,
    link_preview: linkPreview ? toByteaText(linkPreview) : null,
    attachments: post.attachments.map(toAttachmentRow),
    pending: post.mentionsPending,
    root: reply?.rootEventId ?? null,
    created_delivery: reply ? toByteaText(reply.threadCreatedDelivery) : null,
    followers: reply?.followers.map(toFollowerRow) ?? [],
    echo: reply?.echo?.eventId ?? null,
    echo_subject: reply?.echo?.entry.subject ?? null,
    echo_payload: reply?.echo ? toByteaText(reply.echo.entry.payload) : null,
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
    video: toBeProcessed ? processingState : null,
  }
}

const toFollowerRow = (follower: NewFollower, nth: number) => ({
  nth,
  user_id: follower.userId,
  why: follower.why,
  open: follower.isImplicitMember,
  delivery: toByteaText(follower.followedDelivery),
})

function toByteaText(value: Uint8Array): string {
  return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
}
