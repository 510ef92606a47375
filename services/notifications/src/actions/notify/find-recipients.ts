import { idsPerCall, isThere, wantsQuiet, type Audiences } from '../../clients/audiences.ts'
import type { Context } from '../../context.ts'
import { firstReasons, type Recipient } from '../../domain/candidates.ts'
import type { Audience } from '../../domain/work.ts'
import type { Posting } from '../../domain/message.ts'
import { allMessagesAmong } from '../../store/all-messages.ts'

/** Up to this many people mentioned through a role or @all are notified at once. */
const fewCalled = 200
/** Up to this many people with the level ALL_MESSAGES are notified at once. */
export const fewOfAllMessages = 300

/** People with the level ALL_MESSAGES in a room: those to notify at once, or an audience that is too large for that. */
export type AllMessages = { userIds: readonly string[]; many: Audience[] }

type Needs = {
  audiences: Pick<Audiences, 'members' | 'presences'>
  /** For the room of the message. */
  allMessages: AllMessages
}

/** Recipients to notify at once, and audiences that are too large for that. */
export type Found = { recipients: Recipient[]; many: Audience[]; roomName: string }

/** The recipients of a message who may read the room, in the order of reasons. */
export async function findRecipients(needs: Needs, posting: Posting): Promise<Found> {
  const { message, fact } = posting
  const called = await findCalled(needs, posting)
  const everyMessage = isForAll(posting) ? needs.allMessages : noAllMessages
  const followers: Audience[] = fact.manyThreadFollowers ? [{ of: 'thread_followers' }] : []
  const others = [
    ['reply', [fact.inReplyToAuthorId, ...fact.threadFollowerIds].filter(Boolean)],
    ['direct_message', fact.dmParticipantIds],
    ['room_message', everyMessage.userIds],
  ] as const
  // The holders of a large role are not known here, so everyone who may be among them is notified later, after the
  // role.
  const waits = called.many.some((audience) => audience.of === 'role_holders')
  const later = waits
    ? others.flatMap(([kind, ids]): Audience[] => (ids.length > 0 ? [{ of: 'listed', kind, userIds: [...ids] }] : []))
    : []
  const mentioned = [...(fact.mentions?.userIds ?? []), ...called.userIds]
  const candidates = firstReasons([['mention', mentioned], ...(waits ? [] : others)], message.actorId)
  const found = await amongMembers(needs, message.roomId, [...candidates.keys()])
  const recipients = found.userIds.flatMap((userId): Recipient[] => {
    const reason = candidates.get(userId)
    if (reason === undefined) return []
    const kind = callsTo(posting, isThere(found.presences, userId)) ? 'mention' : reason
    return [{ userId, kind, silent: wantsQuiet(found.presences, userId) }]
  })
  return { recipients, many: [...called.many, ...later, ...followers, ...everyMessage.many], roomName: found.roomName }
}

/** Whether the message mentions @all, or @here. */
const callsTo = ({ fact: { mentions } }: Posting, there: boolean): boolean =>
  mentions?.all === true || (mentions?.here === true && there)

async function amongMembers({ audiences }: Needs, roomId: string, userIds: string[]) {
  if (userIds.length === 0) return { userIds, presences: new Map(), roomName: '' }
  const [{ userIds: members, roomName }, presences] = await Promise.all([
    audiences.members(roomId, { userIds }, idsPerCall),
    audiences.presences(userIds),
  ])
  return { userIds: members, presences, roomName }
}

/** Members mentioned through a role, or through @all or @here. */
async function findCalled({ audiences }: Needs, { message, fact }: Posting) {
  const { all = false, here = false, roleIds = [] } = fact.mentions ?? {}
  const calls: { audience: Audience; query: { all: true } | { roleIds: string[] } }[] = [
    ...(all ? [{ audience: { of: 'members' }, query: { all: true } } as const] : []),
    ...(roleIds.length > 0 && !all ? [{ audience: { of: 'role_holders', roleIds }, query: { roleIds } } as const] : []),
    ...(here && !all ? [{ audience: { of: 'present_members' }, query: { all: true } } as const] : []),
  ]
  const found = await Promise.all(
    calls.map(async ({ audience, query }) => {
      const { userIds, last } = await audiences.members(message.roomId, query, fewCalled)
      if (!last) return { userIds: [], many: [audience] }
      if (audience.of !== 'present_members') return { userIds, many: [] }
      const presences = await audiences.presences(userIds)
      if (!presences) return { userIds: [], many: [audience] }
      return { userIds: userIds.filter((userId) => isThere(presences, userId)), many: [] }
    }),
  )
  return { userIds: found.flatMap(({ userIds }) => userIds), many: found.flatMap(({ many }) => many) }
}

/** Whether a message is for people with the level ALL_MESSAGES: it is in the main timeline and not a direct message. */
export const isForAll = ({ message, fact }: Posting): boolean =>
  message.threadRootEventId === '' && fact.dmParticipantIds.length === 0

export const noAllMessages: AllMessages = { userIds: [], many: [] }

/**
 * Begins with the smaller of the two: the people with the level, or the members of the room. `first` are the first
 * people with the level, and one more than are notified at once, to know whether there are others.
 */
export async function findAllMessages(
  { db, smallRooms }: Pick<Context, 'db' | 'smallRooms'>,
  roomId: string,
  first: readonly string[],
): Promise<AllMessages> {
  if (first.length <= fewOfAllMessages) return { userIds: first, many: [] }
  const members = await smallRooms.members(roomId, fewOfAllMessages)
  if (!members) return { userIds: [], many: [{ of: 'all_messages' }] }
  return { userIds: await allMessagesAmong(db, roomId, members.userIds), many: [] }
}
