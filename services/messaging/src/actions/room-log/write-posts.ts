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
import { findStandings, lockLine } from '../../store/lines.ts'
import { isPlain, type Appended } from '../../store/new-post.ts'
import { transaction, type Connection } from '../../store/statement.ts'
import { mentionsLeft } from '../../store/unresolved-mentions.ts'
import { toNewPost } from './new-post.ts'
import { posting, type Message, type Written } from './message.ts'

/** Writes messages of one room in the order given. Throws when none of them was written. */
export async function writePosts(ctx: Context, roomId: string, messages: readonly Message[]): Promise<Written[]> {
  const written = new Map<Message, Written>()
  await writeAtOnce(ctx, roomId, messages, written).catch((error: unknown) => {
    // Another process wrote the same files meanwhile. That is seen once the room is held still.
    if (!isUniqueViolation(error)) throw error
  })
  const doubtful = messages.filter((message) => !written.has(message))
  if (doubtful.length > 0) {
    await writeHeldStill(ctx, roomId, doubtful, written).catch((error: unknown) => {
      // What the first statement wrote stays written.
      if (doubtful.length === messages.length) throw error
      for (const message of doubtful) written.set(message, error instanceof Error ? error : new Error(String(error)))
    })
  }
  if (messages.some(({ mentioned }) => mentioned.pending)) mentionsLeft.tell(ctx.db)
  return messages.map((message) => written.get(message) ?? roomNotFound())
}

/** With the header in memory: one statement. What rests on an old header, or is refused by one, is left out. */
async function writeAtOnce(
  ctx: Context,
  roomId: string,
  messages: readonly Message[],
  written: Map<Message, Written>,
): Promise<void> {
  const room = await ctx.headers.get(roomId)
  if (!room) throw roomNotFound()
  const ready = messages.filter((message) => !refusal(ctx, room, message))
  if (ready.length > 0) ctx.relay.wake(await append(ctx, ctx.pool, room, ready, written))
}

/** With the room held still, after a look without a lock has found no reason to refuse. */
async function writeHeldStill(
  ctx: Context,
  roomId: string,
  messages: readonly Message[],
  written: Map<Message, Written>,
): Promise<void> {
  const look = async (on: Connection) => {
    const authors = [...new Set(messages.map(({ actorId }) => actorId))]
    const found = await findStandings(on, roomId, authors)
    if (!found) throw roomNotFound()
    ctx.headers.put(found.room)
    const permitted = messages.filter((message) => {
      const standing = found.standings.get(message.actorId)
      const refused = outside(ctx, found.room, message, standing) ?? refusal(ctx, found.room, message)
      if (refused) written.set(message, refused)
      else written.delete(message)
      return !refused
    })
    return { room: found.room, permitted }
  }
  if ((await look(ctx.pool)).permitted.length === 0) return
  const entries = await transaction(ctx.pool, async (on) => {
    await lockLine(on, roomId)
    const { room, permitted } = await look(on)
    return append(ctx, on, room, permitted, written)
  })
  ctx.relay.wake(entries)
}

const refusal = (ctx: Context, room: RoomHeader, { post, placement }: Message): ConnectError | undefined =>
  refusalOfPosting(ctx.policy(), post.caller, room, posting(post.draft, placement))

const outside = (ctx: Context, room: RoomHeader, { post }: Message, standing: Standing | undefined) =>
  standing && isEffectiveMember(ctx.policy(), post.caller, room, standing) ? undefined : notAMember(room)

/** One statement; answers its outbox entries. */
async function append(
  ctx: Context,
  on: Connection,
  room: RoomHeader,
  messages: readonly Message[],
  written: Map<Message, Written>,
): Promise<bigint[]> {
  const posts = messages.map((message) => toNewPost(ctx, room, message))
  if (posts.length > 1) countCombined(posts.length)
  const [only] = posts
  const appended =
    only && posts.length === 1 && isPlain(only)
      ? [await appendMessage(on, room, only)]
      : await appendPosts(on, room, posts)
  for (const [index, message] of messages.entries()) note(message, appended[index], written)
  return appended.flatMap(({ entries }) => entries)
}

function note(message: Message, appended: Appended | undefined, written: Map<Message, Written>): void {
  if (!appended?.met) return
  written.set(message, appended.seq === null ? 'taken' : { seq: appended.seq })
}
