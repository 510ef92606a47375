import { RoomKind } from '@parley/contracts/api'
import type { RoomFact } from '@parley/contracts/internal'
import { factKindUnknown, createdFactMisplaced } from '../errors.ts'
import type { LogState } from './room-header.ts'

export type ClientEventKind =
  | 'room_created'
  | 'room_updated'
  | 'room_archived'
  | 'room_unarchived'
  | 'room_universal_changed'
  | 'user_joined_room'
  | 'user_left_room'

export type MemberChange = { userId: string; member: boolean }
export type BanChange = { userId: string; banned: boolean; expiresAt?: RoomFact['occurredAt'] }

export type Step = {
  fact: RoomFact
  room: LogState
  kind: string
  clientEvent?: ClientEventKind
  aboutUserId?: string
  members: MemberChange[]
  ban?: BanChange
}

/**
 * Drops duplicates, and everything after a gap. `isMember`: whether a user is an explicit member before the first fact.
 * Throws if the facts are inconsistent or of an unknown kind.
 */
export function foldFacts(
  held: LogState | undefined,
  roomId: string,
  facts: readonly RoomFact[],
  isMember: (userId: string) => boolean,
): Step[] {
  const steps: Step[] = []
  const changed = new Map<string, boolean>()
  let room = held
  for (const fact of facts) {
    const version = room?.version ?? 0n
    if (fact.version <= version) continue
    // A higher previous version means that facts are missing. A lower one means that the database of the service
    // `rooms` was restored. That service must then send its facts again with versions above the stored one, because
    // lower versions are dropped as duplicates.
    if (previousOf(fact) !== version || !follows(room?.factId, fact)) break
    const step = toStep(room, roomId, fact, (userId) => changed.get(userId) ?? isMember(userId))
    for (const { userId, member } of step.members) changed.set(userId, member)
    steps.push(step)
    room = step.room
  }
  return steps
}

/** Earlier releases of the service `rooms` increased the version by one and did not set `previousVersion`. */
const previousOf = ({ version, previousVersion }: RoomFact): bigint => previousVersion || version - 1n

/** After a restore, another fact may have the version of a lost one. An unknown id matches any id. */
const follows = (held: string | undefined, { previousEventId }: RoomFact): boolean =>
  !held || previousEventId === '' || previousEventId === held

export function usersToBan(facts: readonly RoomFact[]): string[] {
  return facts.flatMap(({ fact }) => (fact.case === 'banned' ? [fact.value.userId] : []))
}

function toStep(
  held: LogState | undefined,
  roomId: string,
  fact: RoomFact,
  isMember: (userId: string) => boolean,
): Step {
  const change = fact.fact
  if ((change.case === 'created') !== (held === undefined)) throw createdFactMisplaced()
  if (change.case === 'created') return firstStep(roomId, fact, change.value)
  if (!held) throw createdFactMisplaced()
  const after = (properties: Partial<LogState>): LogState => ({
    ...held,
    ...properties,
    version: fact.version,
    roomSeq: held.roomSeq + 1n,
    factId: fact.eventId,
  })
  const step = (kind: string, properties: Partial<LogState> = {}): Step => {
    return { fact, room: after(properties), kind, members: [] }
  }
  const announcedStep = (clientEvent: ClientEventKind, properties?: Partial<LogState>): Step => {
    return { ...step(clientEvent, properties), clientEvent }
  }
  switch (change.case) {
    case 'updated':
      return announcedStep('room_updated', { name: change.value.name })
    case 'archived':
      return announcedStep('room_archived', { archived: true })
    case 'unarchived':
      return announcedStep('room_unarchived', { archived: false })
    case 'moved':
      return step('room_moved', { groupId: change.value.groupId })
    case 'universal':
      return announcedStep('room_universal_changed', { universal: change.value.universal })
    case 'joined': {
      const { userId } = change.value
      return { ...announcedStep('user_joined_room'), aboutUserId: userId, members: [{ userId, member: true }] }
    }
    case 'left': {
      const { userId } = change.value
      return { ...announcedStep('user_left_room'), aboutUserId: userId, members: [{ userId, member: false }] }
    }
    case 'banned': {
      const { userId, expiresAt } = change.value
      const ban = { userId, banned: true, ...(expiresAt && { expiresAt }) }
      const banned = { ...step('member_banned'), aboutUserId: userId, ban }
      if (!isMember(userId) && !held.universal) return banned
      const members = isMember(userId) ? [{ userId, member: false }] : []
      return { ...banned, clientEvent: 'user_left_room', members }
    }
    case 'unbanned':
      return { ...step('member_unbanned'), ban: { userId: change.value.userId, banned: false } }
    case 'banExpired':
      return { ...step('ban_expired'), ban: { userId: change.value.userId, banned: false } }
    case undefined:
      throw factKindUnknown(fact.version)
  }
}

function firstStep(roomId: string, fact: RoomFact, created: Created): Step {
  const { kind, groupId, universal, name, participantIds } = created
  const first = { version: 1n, roomSeq: 1n, factId: fact.eventId }
  const room = { roomId, ...first, kind, groupId, universal, archived: false, name, participantIds }
  const members = kind === RoomKind.DM ? participantIds.map((userId) => ({ userId, member: true })) : []
  return { fact, room, kind: 'room_created', clientEvent: 'room_created', members }
}

type Created = Extract<RoomFact['fact'], { case: 'created' }>['value']
