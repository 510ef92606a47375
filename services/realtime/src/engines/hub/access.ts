import { timestampDate } from '@bufbuild/protobuf/wkt'
import { may, type Policy } from '@parley/permissions'
import type { Event, RoomFact, RoomFactApplied } from '@parley/contracts/internal'
import { UniversalRooms } from './universal-rooms.ts'
import { type UserAccess } from './user-access.ts'

/**
 * Rooms whose topics users on this node join (`gains`) or leave (`losses`). Gains are applied before the event that
 * causes them is published, losses after it, so that the user receives the event in both cases. `affected`: users whose
 * access the event may have changed, connected or not.
 */
export type AccessChange = { gains: UserRoom[]; losses: UserRoom[]; affected: AffectedUsers }
type AffectedUsers = readonly string[] | 'everyone'
export type UserRoom = { user: UserAccess; roomId: string }

const noChange: AccessChange = { gains: [], losses: [], affected: [] }

/**
 * Which users on this node receive which channels: explicit members and, in universal rooms, everyone who may join,
 * unless banned. Changes come from the stream in order; no other service is called.
 */
export class Access {
  readonly users = new Map<string, UserAccess>()
  readonly universalRooms = new UniversalRooms()
  readonly #policy: () => Policy
  readonly #now: () => number

  constructor(policy: () => Policy, now: () => number = Date.now) {
    this.#policy = policy
    this.#now = now
  }

  /** For an event of the policy, returns only `affected`; `recompute` returns the gains and losses. */
  apply(event: Event): AccessChange {
    switch (event.fact.case) {
      case 'roomFact':
        return this.#applyRoomFact(event.aggregateId, event.fact.value)
      case 'userRolesChanged': {
        const user = this.users.get(event.aggregateId)
        const isNewer = user?.setRoles(event.fact.value.roleIds, event.fact.value.rolesVersion) === true
        return this.#changesOf(isNewer ? [user] : [], this.universalRooms.ids(), [event.aggregateId])
      }
      case 'policy':
        return { ...noChange, affected: 'everyone' }
      default:
        return noChange
    }
  }

  /**
   * Recomputes access to all universal rooms after a change of the policy. `affected` is empty: `apply` has already
   * returned it.
   */
  recompute(): AccessChange {
    return this.#changesOf(this.users.values(), this.universalRooms.ids(), [])
  }

  recomputeFor(user: UserAccess): AccessChange {
    const rooms = new Set<string>(user.standings.keys())
    for (const roomId of this.universalRooms.ids()) rooms.add(roomId)
    return this.#changesOf([user], rooms, [])
  }

  #applyRoomFact(roomId: string, { fact, header }: RoomFactApplied): AccessChange {
    if (!fact || !header) return noChange
    const userId = this.#changePerson(roomId, fact, header.dm)
    const { groupId, universal } = header
    const affected = affectedBy(fact, header)
    if (this.universalRooms.set({ roomId, groupId, universal, version: fact.version }))
      return this.#changesOf(this.users.values(), [roomId], affected)
    const user = userId === undefined ? undefined : this.users.get(userId)
    return this.#changesOf(user ? [user] : [], [roomId], affected)
  }

  #changePerson(roomId: string, { fact, version }: RoomFact, dm: boolean): string | undefined {
    switch (fact.case) {
      case 'joined':
      case 'left': {
        const user = this.users.get(fact.value.userId)
        user?.setMember(roomId, fact.case === 'joined', version, dm)
        return fact.value.userId
      }
      case 'banned': {
        const user = this.users.get(fact.value.userId)
        user?.setMember(roomId, false, version, dm)
        user?.setBan(roomId, true, fact.value.expiresAt && timestampDate(fact.value.expiresAt), version)
        return fact.value.userId
      }
      case 'unbanned':
      case 'banExpired': {
        const user = this.users.get(fact.value.userId)
        user?.setBan(roomId, false, undefined, version)
        return fact.value.userId
      }
      default:
        return undefined
    }
  }

  #changesOf(
    users: Iterable<UserAccess>,
    roomIds: ReadonlySet<string> | readonly string[],
    affected: AffectedUsers,
  ): AccessChange {
    const change: AccessChange = { gains: [], losses: [], affected }
    for (const user of users) {
      if (!user.loaded) continue
      for (const roomId of roomIds) {
        const receives = this.#receives(user, roomId)
        if (receives === user.rooms.has(roomId)) continue
        if (receives) change.gains.push({ user, roomId })
        else change.losses.push({ user, roomId })
      }
    }
    return change
  }

  #receives(user: UserAccess, roomId: string): boolean {
    const standing = user.standings.get(roomId)
    if (standing?.dm) return false
    if (standing?.banned && !(standing.banExpiresAt && standing.banExpiresAt.getTime() <= this.#now())) return false
    if (standing?.member) return true
    const room = this.universalRooms.get(roomId)
    return room !== undefined && may(this.#policy(), user, 'room.join', { kind: 'room', roomId, groupId: room.groupId })
  }
}

/** Nobody is affected in a direct message, because its events go to its participants. */
function affectedBy({ fact }: RoomFact, { universal, dm }: NonNullable<RoomFactApplied['header']>): AffectedUsers {
  switch (fact.case) {
    case 'joined':
    case 'left':
    case 'banned':
    case 'unbanned':
    case 'banExpired':
      return dm ? [] : [fact.value.userId]
    case 'universal':
      return 'everyone'
    case 'created':
    case 'moved':
      return universal ? 'everyone' : []
    default:
      return []
  }
}
