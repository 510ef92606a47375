import { idsPerCall, isOnline, isDoNotDisturb, type Audiences } from '../../clients/audiences.ts'
import type { Context } from '../../context.ts'
import { findFirstKinds, type Recipient } from '../../domain/candidates.ts'
import type { Audience } from '../../domain/work.ts'
import type { Posting } from '../../domain/message.ts'
import { filterAllMessagesUsers } from '../../store/all-messages.ts'

/** Maximum number of people mentioned through a role, @all or @here who are notified at once, without a job. */
const maxImmediateMentions = 200
/** Maximum number of people with the level ALL_MESSAGES who are notified at once, without a job. */
export const maxImmediateAllMessages = 300

/**
 * People with the level ALL_MESSAGES in a room: the users to notify at once, or an audience that is too large for that.
 */
export type AllMessagesUsers = { userIds: readonly string[]; many: Audience[] }

type Needs = {
  audiences: Pick<Audiences, 'listMembers' | 'getPresences'>
  /** For the room of the message. */
  allMessages: AllMessagesUsers
}

/** Recipients to notify at once, and audiences that are too large for that. */
export type Found = { recipients: Recipient[]; many: Audience[]; roomName: string }

/** Finds the recipients of a message who may read the room, each with the first of their reasons. */
export async function findRecipients(needs: Needs, posting: Posting): Promise<Found> {
  const { message, fact } = posting
  const groups = await findGroupMentioned(needs, posting)
  const everyMessage = notifiesAllMessagesUsers(posting) ? needs.allMessages : noAllMessagesUsers
  const followers: Audience[] = fact.manyThreadFollowers ? [{ of: 'thread_followers' }] : []
  const others = [
    ['reply', [fact.inReplyToAuthorId, ...fact.threadFollowerIds].filter(Boolean)],
    ['direct_message', fact.dmParticipantIds],
    ['room_message', everyMessage.userIds],
  ] as const
  // The holders of a large role are not known here. Everybody who may be among them is notified by the job, after the
  // holders, so that a mention takes precedence.
  const isDeferred = groups.many.some((audience) => audience.of === 'role_holders')
  const later = isDeferred
    ? others.flatMap(([kind, ids]): Audience[] => (ids.length > 0 ? [{ of: 'listed', kind, userIds: [...ids] }] : []))
    : []
  const mentioned = [...(fact.mentions?.userIds ?? []), ...groups.userIds]
  const candidates = findFirstKinds([['mention', mentioned], ...(isDeferred ? [] : others)], message.actorId)
  const found = await filterMembers(needs, message.roomId, [...candidates.keys()])
  const recipients = found.userIds.flatMap((userId): Recipient[] => {
    const reason = candidates.get(userId)
    if (reason === undefined) return []
    const kind = isGroupMentioned(posting, isOnline(found.presences, userId)) ? 'mention' : reason
    return [{ userId, kind, silent: isDoNotDisturb(found.presences, userId) }]
  })
  return { recipients, many: [...groups.many, ...later, ...followers, ...everyMessage.many], roomName: found.roomName }
}

/** Whether a user is mentioned by @all, or by @here because they are online. */
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

/** Members mentioned through a role, or through @all or @here. */
async function findGroupMentioned({ audiences }: Needs, { message, fact }: Posting) {
  const { all = false, here = false, roleIds = [] } = fact.mentions ?? {}
  const calls: { audience: Audience; query: { all: true } | { roleIds: string[] } }[] = [
    ...(all ? [{ audience: { of: 'members' }, query: { all: true } } as const] : []),
    ...(roleIds.length > 0 && !all ? [{ audience: { of: 'role_holders', roleIds }, query: { roleIds } } as const] : []),
    ...(here && !all ? [{ audience: { of: 'present_members' }, query: { all: true } } as const] : []),
  ]
  const found = await Promise.all(
    calls.map(async ({ audience, query }) => {
      const { userIds, last } = await audiences.listMembers(message.roomId, query, maxImmediateMentions)
      if (!last) return { userIds: [], many: [audience] }
      if (audience.of !== 'present_members') return { userIds, many: [] }
      const presences = await audiences.getPresences(userIds)
      if (!presences) return { userIds: [], many: [audience] }
      return { userIds: userIds.filter((userId) => isOnline(presences, userId)), many: [] }
    }),
  )
  return { userIds: found.flatMap(({ userIds }) => userIds), many: found.flatMap(({ many }) => many) }
}

/** Whether a message notifies people with the level ALL_MESSAGES: it is in a main timeline, and no direct message. */
export const notifiesAllMessagesUsers = ({ message, fact }: Posting): boolean =>
  message.threadRootEventId === '' && fact.dmParticipantIds.length === 0

export const noAllMessagesUsers: AllMessagesUsers = { userIds: [], many: [] }

/**
 * Finds the members of a room with the level ALL_MESSAGES, from the smaller set: people with the level, or members.
 * `first`: the first people with the level, up to `maxImmediateAllMessages` + 1.
 */
export async function findAllMessagesUsers(
  { db, smallRooms }: Pick<Context, 'db' | 'smallRooms'>,
  roomId: string,
  first: readonly string[],
): Promise<AllMessagesUsers> {
  if (first.length <= maxImmediateAllMessages) return { userIds: first, many: [] }
  const members = await smallRooms.listMembers(roomId, maxImmediateAllMessages)
  if (!members) return { userIds: [], many: [{ of: 'all_messages' }] }
  return { userIds: await filterAllMessagesUsers(db, roomId, members.userIds), many: [] }
}
