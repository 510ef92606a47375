import { idsPerCall, isOnline, isDoNotDisturb, type Audiences } from '../../clients/audiences.ts'
import type { Context } from '../../context.ts'
import { findFirstKinds, type Recipient } from '../../domain/candidates.ts'
import type { Audience } from '../../domain/work.ts'
import type { Posting } from '../../domain/message.ts'
import { filterAllMessagesUsers } from '../../store/all-messages.ts'

/**
 * If a mention of a role, @all or @here selects at least this many members, a job notifies them. For @here, members who
 * are not online count too.
 */
const minForJob = 200
export const maxImmediateAllMessages = 300

/**
 * People with the level ALL_MESSAGES for a room, who need not be members. `forJob`: an audience that is too large to
 * notify at once.
 */
export type AllMessagesUsers = { userIds: readonly string[]; forJob: Audience[] }

type Needs = {
  audiences: Pick<Audiences, 'listMembers' | 'getPresences'>
  allMessages: AllMessagesUsers
}

/** `recipients`: to notify at once. `forJob`: audiences that a job notifies one after the other. */
export type Found = { recipients: Recipient[]; forJob: Audience[]; roomName: string }

/** All recipients are members. The first kind that applies counts: mention, reply, direct message, room message. */
export async function findRecipients(needs: Needs, posting: Posting): Promise<Found> {
  const { message, fact } = posting
  const groups = await findGroupMentioned(needs, posting)
  const allMessages = notifiesAllMessagesUsers(posting) ? needs.allMessages : noAllMessagesUsers
  const followers: Audience[] = fact.manyThreadFollowers ? [{ of: 'thread_followers' }] : []
  const others = [
    ['reply', [fact.inReplyToAuthorId, ...fact.threadFollowerIds].filter(Boolean)],
    ['direct_message', fact.dmParticipantIds],
    ['room_message', allMessages.userIds],
  ] as const
  // The holders of a large role are not known here, and `others` may be among them. The job notifies the holders first,
  // so that a mention takes precedence.
  const areOthersDeferred = groups.forJob.some((audience) => audience.of === 'role_holders')
  const later = areOthersDeferred
    ? others.flatMap(([kind, ids]): Audience[] => (ids.length > 0 ? [{ of: 'listed', kind, userIds: [...ids] }] : []))
    : []
  const mentioned = [...(fact.mentions?.userIds ?? []), ...groups.userIds]
  const candidates = findFirstKinds([['mention', mentioned], ...(areOthersDeferred ? [] : others)], message.actorId)
  const found = await filterMembers(needs, message.roomId, [...candidates.keys()])
  const recipients = found.userIds.flatMap((userId): Recipient[] => {
    const reason = candidates.get(userId)
    if (reason === undefined) return []
    const kind = isGroupMentioned(posting, isOnline(found.presences, userId)) ? 'mention' : reason
    return [{ userId, kind, silent: isDoNotDisturb(found.presences, userId) }]
  })
  return {
    recipients,
    forJob: [...groups.forJob, ...later, ...followers, ...allMessages.forJob],
    roomName: found.roomName,
  }
}

const isGroupMentioned = ({ fact: { mentions } }: Posting, online: boolean): boolean =>
  mentions?.all === true || (mentions?.here === true && online)

async function filterMembers({ audiences }: Needs, roomId: string, userIds: string[]) {
  if (userIds.length === 0) return { userIds, presences: new Map(), roomName: '' }
  const [{ userIds: members, roomName }, presences] = await Promise.all([
    audiences.listMembers(roomId, { userIds }, idsPerCall),
    audiences.getPresences(userIds),
  ])
  return { userIds: members, presences, roomName }
}

async function findGroupMentioned({ audiences }: Needs, { message, fact }: Posting) {
  const { all = false, here = false, roleIds = [] } = fact.mentions ?? {}
  const calls: { audience: Audience; query: { all: true } | { roleIds: string[] } }[] = [
    ...(all ? [{ audience: { of: 'members' }, query: { all: true } } as const] : []),
    ...(roleIds.length > 0 && !all ? [{ audience: { of: 'role_holders', roleIds }, query: { roleIds } } as const] : []),
    ...(here && !all ? [{ audience: { of: 'present_members' }, query: { all: true } } as const] : []),
  ]
  const found = await Promise.all(
    calls.map(async ({ audience, query }) => {
      const { userIds, last } = await audiences.listMembers(message.roomId, query, minForJob)
      if (!last) return { userIds: [], forJob: [audience] }
      if (audience.of !== 'present_members') return { userIds, forJob: [] }
      const presences = await audiences.getPresences(userIds)
      if (!presences) return { userIds: [], forJob: [audience] }
      return { userIds: userIds.filter((userId) => isOnline(presences, userId)), forJob: [] }
    }),
  )
  return { userIds: found.flatMap(({ userIds }) => userIds), forJob: found.flatMap(({ forJob }) => forJob) }
}

/** Whether the message notifies people because of their level ALL_MESSAGES: only in the main timeline of a channel. */
export const notifiesAllMessagesUsers = ({ message, fact }: Posting): boolean =>
  message.threadRootEventId === '' && fact.dmParticipantIds.length === 0

export const noAllMessagesUsers: AllMessagesUsers = { userIds: [], forJob: [] }

/**
 * `first`: people with the level, at most `maxImmediateAllMessages` + 1. Up to the maximum they are returned, members
 * or not. If there are more, returns the members of a small room who have the level. If `smallRooms` does not list the
 * members, returns an audience for a job.
 */
export async function findAllMessagesUsers(
  { db, smallRooms }: Pick<Context, 'db' | 'smallRooms'>,
  roomId: string,
  first: readonly string[],
): Promise<AllMessagesUsers> {
  if (first.length <= maxImmediateAllMessages) return { userIds: first, forJob: [] }
  const members = await smallRooms.listMembers(roomId, maxImmediateAllMessages)
  if (!members) return { userIds: [], forJob: [{ of: 'all_messages' }] }
  return { userIds: await filterAllMessagesUsers(db, roomId, members.userIds), forJob: [] }
}
