import { ownerRoleId, resolve, type Policy, type Scope } from '@parley/permissions'

/**
 * Holders of a permission, for a query. Owners always have it. For others, a DENY for the user, a role or everyone
 * prevails; otherwise an ALLOW grants it.
 */
export type Eligibility = {
  everyone: 'allow' | 'deny' | 'undecided'
  ownerRoleId: string
  allowedRoles: string[]
  deniedRoles: string[]
  allowedUsers: string[]
  deniedUsers: string[]
}

export const includesEveryone = ({ everyone, deniedRoles, deniedUsers }: Eligibility): boolean =>
  everyone === 'allow' && deniedRoles.length === 0 && deniedUsers.length === 0

/** Everybody who may join a universal room is a member of it, unless banned. */
export function findWhoMayJoin(policy: Policy, scope: Scope & { kind: 'room' }): Eligibility {
  const outcomeFor = (userId: string, roleIds: string[]) => resolve(policy, { userId, roleIds }, 'room.join', scope)
  const { server, groups, rooms } = policy.decisions
  const decided = [server, groups.get(scope.groupId), rooms.get(scope.roomId)]
  const users = [...new Set(decided.flatMap((at) => [...(at?.users.keys() ?? [])]))]
  const roles = [...policy.roles.keys()].filter((roleId) => roleId !== ownerRoleId)
  return {
    everyone: outcomeFor('', []),
    ownerRoleId,
    allowedRoles: roles.filter((roleId) => outcomeFor('', [roleId]) === 'allow'),
    deniedRoles: roles.filter((roleId) => outcomeFor('', [roleId]) === 'deny'),
    allowedUsers: users.filter((userId) => outcomeFor(userId, []) === 'allow'),
    deniedUsers: users.filter((userId) => outcomeFor(userId, []) === 'deny'),
  }
}
