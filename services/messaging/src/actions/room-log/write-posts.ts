import type { ConnectError } from '@connectrpc/connect'
import { isEffectiveMember } from '@parley/permissions'
import { isUniqueViolation } from '@parley/postgres'
import type { Context } from '../../context.ts'
import type { RoomHeader, Standing } from '../../domain/room-line.ts'
import { notAMember, roomNotFound } from '../../errors.ts'
import { countCombined } from '../../metrics.ts'
import { refusalOfPosting } from '../../policy/room-access.ts'
import { appendMessage } from '../../store/append-message.ts'
import { appendPosts } from '../../store/append-posts.ts'
import { HeldLog } from '../../store/held-log.ts'
import { findStandings } from '../../store/lines.ts'
import { isPlain } from '../../store/new-post.ts'
import { transaction, type Connection } from '../../store/statement.ts'
import { mentionQueue } from '../../store/unresolved-mentions.ts'
import { toNewPost } from './new-post.ts'
import { posting, type Message, type WrittenPost } from './message.ts'

/** The outcomes known so far, by message. */
export type Outcomes = Map<Message, WrittenPost>

/** Writes messages of one room in order. Throws if none was written. */
export async function writePosts(
  ctx: Context,
  roomId: string,
  messages: readonly Message[],
): Promise<(WrittenPost | Error)[]> {
  const outcomes: Outcomes = new Map()
  await writeAtOnce(ctx, roomId, messages, outcomes).catch((error: unknown) => {
    // Another process has written the same files. The check repeats once the row is locked.
    if (!isUniqueViolation(error)) throw error
  })
  const unwritten = messages.filter((message) => !outcomes.has(message))
  let failure: Error | undefined
  if (unwritten.length > 0) {
    await writeLocked(ctx, roomId, unwritten, outcomes).catch((error: unknown) => {
      // Rows of the first statement are committed; those of the transaction are not.
      if (unwritten.length === messages.length) throw error
      failure = error instanceof Error ? error : new Error(String(error))
      for (const message of unwritten) if (outcomes.get(message)?.kind !== 'refused') outcomes.delete(message)
    })
  }
  return messages.map((message) => outcomes.get(message) ?? failure ?? new Error('a post has no outcome'))
}

/** One statement, with the cached header. Leaves out messages that a stale header affects or refuses. */
async function writeAtOnce(
  ctx: Context,
  roomId: string,
  messages: readonly Message[],
  outcomes: Outcomes,
): Promise<void> {
  const room = await ctx.headers.get(roomId)
  const ready = room ? messages.filter((message) => !refusal(ctx, room, message)) : []
  if (!room || ready.length === 0) return
  ctx.relay.wake(await append(ctx, ctx.pool, room, ready, outcomes))
  wakeMentionResolver(ctx, ready)
}

/** Writes with the room's row locked; messages that a check without the lock refuses are left out. */
async function writeLocked(
  ctx: Context,
  roomId: string,
  messages: readonly Message[],
  outcomes: Outcomes,
): Promise<void> {
  const { permitted } = await judge(ctx, ctx.pool, roomId, messages, outcomes)
  if (permitted.length === 0) return
  const log = await transaction(ctx.pool, async (on) => {
    const log = await HeldLog.hold(on, roomId)
    await writePostsInto(ctx, log, permitted, outcomes)
    return log
  })
  ctx.relay.wake(log.entries)
  wakeMentionResolver(ctx, permitted)
}

/** Writes messages into a room whose row is locked, and records the outcome of each. */
export async function writePostsInto(
  ctx: Context,
  log: HeldLog,
  messages: readonly Message[],
  outcomes: Outcomes,
): Promise<void> {
  if (messages.length === 0) return
  await log.flush()
  const { room, permitted } = await judge(ctx, log.on, log.roomId, messages, outcomes)
  if (room && permitted.length > 0) log.noteEntries(await append(ctx, log.on, room, permitted, outcomes))
}

/** Reads the stored room and the messages that it accepts; records the refusals of the others. */
async function judge(
  ctx: Context,
  on: Connection,
  roomId: string,
  messages: readonly Message[],
  outcomes: Outcomes,
): Promise<{ room: RoomHeader | undefined; permitted: Message[] }> {
  const authors = [...new Set(messages.map(({ actorId }) => actorId))]
  const found = await findStandings(on, roomId, authors)
  // A transaction may read its own uncommitted changes.
  if (found && on === ctx.pool) ctx.headers.put(found.room)
  const permitted = messages.filter((message) => {
    const error = found
      ? (outside(ctx, found.room, message, found.standings.get(message.actorId)) ?? refusal(ctx, found.room, message))
      : roomNotFound()
    if (error) outcomes.set(message, { kind: 'refused', error })
    return !error
  })
  return { room: found?.room, permitted }
}

const refusal = (ctx: Context, room: RoomHeader, { post, placement }: Message): ConnectError | undefined =>
  refusalOfPosting(ctx.policy(), post.caller, room, posting(post.draft, placement))

const outside = (ctx: Context, room: RoomHeader, { post }: Message, standing: Standing | undefined) =>
  standing && isEffectiveMember(ctx.policy(), post.caller, room, standing) ? undefined : notAMember(room)

/** One statement; returns its outbox entries. */
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

/** After commit. */
export function wakeMentionResolver(ctx: Pick<Context, 'db'>, messages: readonly Message[]): void {
  if (messages.some(({ mentioned }) => mentioned.pending)) mentionQueue.announce(ctx.db)
}
