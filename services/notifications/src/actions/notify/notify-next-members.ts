import { Code, ConnectError } from '@connectrpc/connect'
import { idsPerCall, isOnline, isDoNotDisturb, type People } from '../../clients/audiences.ts'
import type { Context } from '../../context.ts'
import { findFirstKinds, type Recipient } from '../../domain/candidates.ts'
import { kindOf, messageOf, type Audience, type AudienceJob } from '../../domain/work.ts'
import type { Message } from '../../domain/message.ts'
import { byShard } from '../../domain/shards.ts'
import { filterAllMessagesUsers, listAllMessagesUsers } from '../../store/all-messages.ts'
import type { JobState } from '../../store/jobs.ts'
import { lockShards } from '../../store/shards.ts'
import { isAnyRetracted } from '../../store/tombstones.ts'
import { findSender } from './find-sender.ts'
import { createNotifications } from './create-notifications.ts'

/** Several, because a step needs a transaction per shard, even for a few members. */
const pagesPerStep = 4

type Page = People & { after: string; roomName: string }

export async function notifyNextMembers(ctx: Context, work: AudienceJob, after: string): Promise<JobState> {
  const message = messageOf(work)
  const [audience, ...others] = work.audiences
  if (!audience || (await isAnyRetracted(ctx.db, [message.messageId, message.eventId]))) return undefined
  const page = await readPages(ctx, message, audience, after)
  const presences = await ctx.audiences.getPresences(page.userIds)
  if (audience.of === 'present_members' && !presences) {
    if (others.length === 0) throw new ConnectError('presence is not available', Code.Unavailable)
    return { work: { ...work, audiences: [...others, audience] }, after: '' }
  }
  const kinds = findFirstKinds([[kindOf(audience), page.userIds]], message.actorId)
  const recipients = [...kinds].flatMap(([userId, kind]): Recipient[] =>
    audience.of === 'present_members' && !isOnline(presences, userId)
      ? []
      : [{ userId, kind, silent: isDoNotDisturb(presences, userId) }],
  )
  const sender = recipients.length > 0 ? await findSender(ctx, message.actorId) : undefined
  const display = { roomName: page.roomName, sender, others: 0 }
  for (const [shard, ofShard] of byShard(recipients)) {
    const drafts = [{ message, display, recipients: ofShard }]
    const entries = await ctx.db.transaction(async (tx) => {
      await lockShards(tx, [shard])
      return createNotifications(tx, drafts, ctx.now())
    })
    ctx.relay.wake(entries)
  }
  if (!page.last) return { work, after: page.after }
  return others.length > 0 ? { work: { ...work, audiences: others }, after: '' } : undefined
}

async function readPages(ctx: Context, message: Message, audience: Audience, after: string): Promise<Page> {
  const pages: Page[] = []
  for (let from = after; pages.length < pagesPerStep;) {
    const page = await readPage(ctx, message, audience, from)
    pages.push(page)
    from = page.after
    if (page.last) break
  }
  const { after: upTo = after, last = true, roomName = '' } = pages.at(-1) ?? {}
  return { userIds: pages.flatMap(({ userIds }) => userIds), after: upTo, last, roomName }
}

async function readPage(ctx: Context, message: Message, audience: Audience, after: string): Promise<Page> {
  const { roomId } = message
  if (audience.of === 'members' || audience.of === 'present_members' || audience.of === 'role_holders') {
    const query = audience.of === 'role_holders' ? { roleIds: audience.roleIds } : { all: true }
    const page = await ctx.audiences.listMembers(roomId, { ...query, after })
    return { ...page, after: page.userIds.at(-1) ?? after }
  }
  const people = await readPeople(ctx, message, audience, after)
  if (audience.of === 'all_messages' && after === '' && !people.last) {
    const members = await ctx.smallRooms.listMembers(roomId, idsPerCall - 1)
    if (members) {
      // The room has fewer members than there are users with the level.
      const userIds = await filterAllMessagesUsers(ctx.db, roomId, members.userIds)
      return { userIds, roomName: members.roomName, last: true, after }
    }
  }
  const { userIds, roomName } = await ctx.audiences.listMembers(roomId, { userIds: people.userIds })
  return { userIds, roomName, last: people.last, after: people.userIds.at(-1) ?? after }
}

async function readPeople(
  ctx: Context,
  { roomId, threadRootEventId }: Message,
  audience: Extract<Audience, { of: 'thread_followers' | 'all_messages' | 'listed' }>,
  after: string,
): Promise<People> {
  if (audience.of === 'listed') return { userIds: audience.userIds, last: true }
  if (audience.of === 'thread_followers') return ctx.audiences.listThreadFollowers(roomId, threadRootEventId, after)
  const userIds = await listAllMessagesUsers(ctx.db, roomId, idsPerCall, after)
  return { userIds, last: userIds.length < idsPerCall }
}
