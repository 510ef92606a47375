import type { Standing } from '../../domain/standing.ts'
import type { Subscriber } from './subscriber.ts'

export const openConnectionsOf = (user: UserAccess): Subscriber[] =>
  [...user.connections].filter(({ isOpen }) => isOpen)

export class UserAccess {
  readonly userId: string
  roleIds: readonly string[]
  rolesVersion: bigint
  readonly connections = new Set<Subscriber>()
  readonly standings = new Map<string, Standing>()
  /** Ids of the rooms to whose topics the open connections subscribe. */
  readonly rooms = new Set<string>()
  /** Until it settles, changes from the stream are only stored in `standings`, and `rooms` stays unchanged. */
  loading: Promise<void> | undefined
  loaded = false

  constructor(userId: string, roleIds: readonly string[], rolesVersion: bigint) {
    this.userId = userId
    this.roleIds = roleIds
    this.rolesVersion = rolesVersion
  }

  setRoles(roleIds: readonly string[], version: bigint): boolean {
    if (version <= this.rolesVersion) return false
    this.roleIds = roleIds
    this.rolesVersion = version
    return true
  }

  /**
   * Whether other roles arrived with a lower version than the known roles have. The database of the service `accounts`
   * may then have been restored, so the roles must be loaded again.
   */
  isContradictedBy(roleIds: readonly string[], version: bigint): boolean {
    return version < this.rolesVersion && roleIds.join() !== this.roleIds.join()
  }

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
