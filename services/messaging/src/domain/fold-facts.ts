import { RoomKind } from '@parley/contracts/api'
import type { RoomFact } from '@parley/contracts/internal'
import { factKindUnknown, firstFactMissing } from '../errors.ts'
import type { FactLine } from './room-line.ts'

/** The client event of a fact, and the name of its timeline row if it has one. */
export type Notice =
  | 'room_created'
  | 'room_updated'
  | 'room_archived'
  | 'room_unarchived'
  | 'room_universal_changed'
  | 'user_joined_room'
  | 'user_left_room'

export type MemberChange = { userId: string; member: boolean }
export type BanChange = { userId: string; banned: boolean; expiresAt?: RoomFact['occurredAt'] }

/** The effect of one fact on a room. */
export type Step = {
  fact: RoomFact
  /** The room after the fact; its `roomSeq` is the fact's place. */
  line: FactLine
  /** Kind of the event on the stream. */
  kind: string
  /** The client event, if any. */
  notice?: Notice
  /** The user who joined or left, for such a notice. */
  aboutUserId?: string
  members: MemberChange[]
  ban?: BanChange
}

/**
 * Folds facts into steps, starting from the current state; drops duplicates. `isMember` returns whether somebody is an
 * explicit member before the first fact.
 */
export function foldFacts(
  held: FactLine | undefined,
  roomId: string,
  facts: readonly RoomFact[],
  isMember: (userId: string) => boolean,
): Step[] {
  const steps: Step[] = []
  const changed = new Map<string, boolean>()
  let line = held
  for (const fact of facts) {
    const version = line?.version ?? 0n
    if (fact.version <= version) continue
    // A higher version means that facts are missing. A lower one means that rooms was restored, and must continue above
    // the current version so that no fact is skipped.
    if (previousOf(fact) !== version || !isOnTopOf(line?.factId, fact)) break
    const step = takeStep(line, roomId, fact, (userId) => changed.get(userId) ?? isMember(userId))
    for (const { userId, member } of step.members) changed.set(userId, member)
    steps.push(step)
    line = step.line
  }
  return steps
}

/** Earlier releases of rooms increased the version by one and did not set `previousVersion`. */
const previousOf = ({ version, previousVersion }: RoomFact): bigint => previousVersion || version - 1n

/** Two facts may have the same version if rooms was restored and lost one. Unknown ids are not compared. */
const isOnTopOf = (held: string | undefined, { previousEventId }: RoomFact): boolean =>
  !held || previousEventId === '' || previousEventId === held

/** Users whose membership must be read before folding. */
export function usersBanned(facts: readonly RoomFact[]): string[] {
  return facts.flatMap(({ fact }) => (fact.case === 'banned' ? [fact.value.userId] : []))
}

function takeStep(
  held: FactLine | undefined,
  roomId: string,
  fact: RoomFact,
  isMember: (userId: string) => boolean,
): Step {
  const change = fact.fact
  if ((change.case === 'created') !== (held === undefined)) throw firstFactMissing()
  if (change.case === 'created') return firstStep(roomId, fact, change.value)
  if (!held) throw firstFactMissing()
  const after = (line: Partial<FactLine>): FactLine => ({
    ...held,
    ...line,
    version: fact.version,
    roomSeq: held.roomSeq + 1n,
    factId: fact.eventId,
  })
  const step = (kind: string, line: Partial<FactLine> = {}): Step => ({ fact, line: after(line), kind, members: [] })
  const announced = (notice: Notice, line?: Partial<FactLine>): Step => ({ ...step(notice, line), notice })
  switch (change.case) {
    case 'updated':
      return announced('room_updated', { name: change.value.name })
    case 'archived':
      return announced('room_archived', { archived: true })
    case 'unarchived':
      return announced('room_unarchived', { archived: false })
    case 'moved':
      return step('room_moved', { groupId: change.value.groupId })
    case 'universal':
      return announced('room_universal_changed', { universal: change.value.universal })
    case 'joined': {
      const { userId } = change.value
      return { ...announced('user_joined_room'), aboutUserId: userId, members: [{ userId, member: true }] }
    }
    case 'left': {
      const { userId } = change.value
      return { ...announced('user_left_room'), aboutUserId: userId, members: [{ userId, member: false }] }
    }
    case 'banned': {
      const { userId, expiresAt } = change.value
      const ban = { userId, banned: true, ...(expiresAt && { expiresAt }) }
      const banned = { ...step('member_banned'), aboutUserId: userId, ban }
      // In a universal room everyone who may join was a member.
      if (!isMember(userId) && !held.universal) return banned
      const members = isMember(userId) ? [{ userId, member: false }] : []
      return { ...banned, notice: 'user_left_room', members }
    }
    case 'unbanned':
      return { ...step('member_unbanned'), ban: { userId: change.value.userId, banned: false } }
    case 'banExpired':
      return { ...step('ban_expired'), ban: { userId: change.value.userId, banned: false } }
    case undefined:
      throw factKindUnknown(fact.version)
  }
}

/** The step that creates a room. */
function firstStep(roomId: string, fact: RoomFact, created: Created): Step {
  const { kind, groupId, universal, name, participantIds } = created
  const first = { version: 1n, roomSeq: 1n, factId: fact.eventId }
  const room = { roomId, ...first, kind, groupId, universal, archived: false, name, participantIds }
  const members = kind === RoomKind.DM ? participantIds.map((userId) => ({ userId, member: true })) : []
  return { fact, line: room, kind: 'room_created', notice: 'room_created', members }
}

type Created = Extract<RoomFact['fact'], { case: 'created' }>['value']
