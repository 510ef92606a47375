import type { Standing } from '../../domain/standing.ts'
import type { Subscriber } from './subscriber.ts'

/** The sockets of a user that have an open stream. */
export const openConnectionsOf = (user: UserAccess): Subscriber[] =>
  [...user.connections].filter(({ isOpen }) => isOpen)

/** The state of a user with at least one connection to this node. */
export class UserAccess {
  readonly userId: string
  roleIds: readonly string[]
  rolesVersion: bigint
  readonly connections = new Set<Subscriber>()
  readonly standings = new Map<string, Standing>()
  /** Channels whose events the user receives; always equal to the room topics of the open connections. */
  readonly rooms = new Set<string>()
  /** Settles when the standings have been read; until then changes from the stream are only collected. */
  loading: Promise<void> | undefined
  loaded = false

  constructor(userId: string, roleIds: readonly string[], rolesVersion: bigint) {
    this.userId = userId
    this.roleIds = roleIds
    this.rolesVersion = rolesVersion
  }

  /** Replaces the roles if the version is newer; returns whether it is. */
  setRoles(roleIds: readonly string[], version: bigint): boolean {
    if (version <= this.rolesVersion) return false
    this.roleIds = roleIds
    this.rolesVersion = version
    return true
  }

  /**
   * Whether these roles differ from the known ones although their version is older. This means that the database of
   * accounts was restored, so the roles that it reports apply.
   */
  isContradictedBy(roleIds: readonly string[], version: bigint): boolean {
    return version < this.rolesVersion && roleIds.join() !== this.roleIds.join()
  }

  /** Forgets the roles, so that the roles that the next socket loads apply regardless of their version. */
  forgetRoles(): void {
    this.roleIds = []
    this.rolesVersion = -1n
  }

  setMember(roomId: string, member: boolean, version: bigint, dm: boolean): void {
    const standing = this.#standing(roomId, dm)
    if (version <= standing.memberVersion) return
    standing.member = member
    standing.memberVersion = version
  }

  setBan(roomId: string, banned: boolean, expiresAt: Date | undefined, version: bigint): void {
    const standing = this.#standing(roomId, false)
    if (version <= standing.banVersion) return
    standing.banned = banned
    standing.banExpiresAt = expiresAt
    standing.banVersion = version
  }

  #standing(roomId: string, dm: boolean): Standing {
    let standing = this.standings.get(roomId)
    if (!standing) {
      standing = { member: false, memberVersion: 0n, banned: false, banExpiresAt: undefined, banVersion: 0n, dm }
      this.standings.set(roomId, standing)
    }
    return standing
  }
}
