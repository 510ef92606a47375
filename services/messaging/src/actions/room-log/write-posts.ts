import type { ConnectError } from '@connectrpc/connect'
import { isEffectiveMember } from '@parley/permissions'
import { isUniqueViolation } from '@parley/postgres'
import type { Context } from '../../context.ts'
import type { RoomHeader, Standing } from '../../domain/room-header.ts'
import { notAMember, roomNotFound } from '../../errors.ts'
import { countCombined } from '../../metrics.ts'
import { refusalOfPosting } from '../../policy/room-access.ts'
import { appendMessage } from '../../store/append-message.ts'
import { appendPosts } from '../../store/append-posts.ts'
import { LockedLog } from '../../store/locked-log.ts'
import { findStandings } from '../../store/rooms.ts'
import { isPlain } from '../../store/new-post.ts'
import { transaction, type Connection } from '../../store/statement.ts'
import { mentionQueue } from '../../store/unresolved-mentions.ts'
import { toNewPost } from './new-post.ts'
import { toPostProperties, type Message, type PostWriteOutcome } from './message.ts'

export type Outcomes = Map<Message, PostWriteOutcome>

/** Writes messages in the given order. Throws if an error kept all of them from being written. */
export async function writePosts(
  ctx: Context,
  roomId: string,
  messages: readonly Message[],
): Promise<(PostWriteOutcome | Error)[]> {
  const outcomes: Outcomes = new Map()
  await writeWithCachedHeader(ctx, roomId, messages, outcomes).catch((error: unknown) => {
    // Another process has attached one of the files. The files are checked again with the row locked.
    if (!isUniqueViolation(error)) throw error
  })
  const unwritten = messages.filter((message) => !outcomes.has(message))
  let failure: Error | undefined
  if (unwritten.length > 0) {
    await writeLocked(ctx, roomId, unwritten, outcomes).catch((error: unknown) => {
      if (unwritten.length === messages.length) throw error
      failure = error instanceof Error ? error : new Error(String(error))
      for (const message of unwritten) if (outcomes.get(message)?.kind !== 'refused') outcomes.delete(message)
    })
  }
  return messages.map((message) => outcomes.get(message) ?? failure ?? new Error('a post has no outcome'))
}

/**
 * Resolves permissions with the cached header. A message gets no outcome if that header refuses it or is stale, or if
 * its author is deleted, banned or not a member.
 */
async function writeWithCachedHeader(
  ctx: Context,
  roomId: string,
  messages: readonly Message[],
  outcomes: Outcomes,
): Promise<void> {
  const room = await ctx.headers.get(roomId)
  const ready = room ? messages.filter((message) => !refusalOf(ctx, room, message)) : []
  if (!room || ready.length === 0) return
  ctx.relay.wake(await append(ctx, ctx.pool, room, ready, outcomes))
  wakeMentionResolver(ctx, ready)
}

/** Checks permissions before and after it takes the lock, so that most refusals need not wait for the lock. */
async function writeLocked(
  ctx: Context,
  roomId: string,
  messages: readonly Message[],
  outcomes: Outcomes,
): Promise<void> {
  const { permitted } = await findPermitted(ctx, ctx.pool, roomId, messages, outcomes)
  if (permitted.length === 0) return
  const log = await transaction(ctx.pool, async (on) => {
    const log = await LockedLog.lock(on, roomId)
    await writePostsInto(ctx, log, permitted, outcomes)
    return log
  })
  ctx.relay.wake(log.entries)
  wakeMentionResolver(ctx, permitted)
}

export async function writePostsInto(
  ctx: Context,
  log: LockedLog,
  messages: readonly Message[],
  outcomes: Outcomes,
): Promise<void> {
  if (messages.length === 0) return
  await log.flush()
  const { room, permitted } = await findPermitted(ctx, log.on, log.roomId, messages, outcomes)
  if (room && permitted.length > 0) log.addEntries(await append(ctx, log.on, room, permitted, outcomes))
}

/** Returns the permitted messages, and stores the refusals of the others in `outcomes`. */
async function findPermitted(
  ctx: Context,
  on: Connection,
  roomId: string,
  messages: readonly Message[],
  outcomes: Outcomes,
): Promise<{ room: RoomHeader | undefined; permitted: Message[] }> {
  const authors = [...new Set(messages.map(({ actorId }) => actorId))]
  const found = await findStandings(on, roomId, authors)
  // A header read in a transaction may be uncommitted, so it is not cached.
  if (found && on === ctx.pool) ctx.headers.put(found.room)
  const permitted = messages.filter((message) => {
    const error = found
      ? (refusalOfNonMember(ctx, found.room, message, found.standings) ?? refusalOf(ctx, found.room, message))
      : roomNotFound()
    if (error) outcomes.set(message, { kind: 'refused', error })
    return !error
  })
  return { room: found?.room, permitted }
}

const refusalOf = (ctx: Context, room: RoomHeader, { post, placement }: Message): ConnectError | undefined =>
  refusalOfPosting(ctx.policy(), post.caller, room, toPostProperties(post.draft, placement))

function refusalOfNonMember(
  ctx: Context,
  room: RoomHeader,
  { actorId, post }: Message,
  standings: ReadonlyMap<string, Standing>,
): ConnectError | undefined {
  const standing = standings.get(actorId)
  return standing && isEffectiveMember(ctx.policy(), post.caller, room, standing) ? undefined : notAMember(room)
}

async function append(
  ctx: Context,
  on: Connection,
  room: RoomHeader,
  messages: readonly Message[],
  outcomes: Outcomes,
): Promise<bigint[]> {
  const posts = messages.map((message) => toNewPost(ctx, room, message))
  if (posts.length > 1) countCombined(posts.length)
  const [only] = posts
  const appended =
    only && posts.length === 1 && isPlain(only)
      ? [await appendMessage(on, room, only)]
      : await appendPosts(on, room, posts)
  for (const [index, message] of messages.entries()) {
    const post = appended[index]?.post
    if (post && post.kind !== 'unmet') outcomes.set(message, post)
  }
  return appended.flatMap(({ entries }) => entries)
}

/** To be called after the commit. */
export function wakeMentionResolver(ctx: Pick<Context, 'db'>, messages: readonly Message[]): void {
  if (messages.some(({ mentioned }) => mentioned.pending)) mentionQueue.announce(ctx.db)
}
