import { create } from '@bufbuild/protobuf'
import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { GetPolicyResponseSchema, type GetPolicyResponse } from '@parley/contracts/internal'
import { permissions, type Permission } from './permissions.ts'

/** A role that comes with the server. Its id is its name. */
export type SystemRole = {
  readonly id: 'everyone' | 'moderator' | 'admin' | 'owner'
  readonly name: string
  readonly displayName: string
  readonly description: string
  readonly position: number
  readonly pingable: boolean
  /** Whether it can be assigned; every account has `everyone` implicitly. */
  readonly assignable: boolean
  readonly isSystem: true
}

/** Id of the role that every account has implicitly. */
export const everyoneRoleId = 'everyone'

/** Id of the role that is allowed everything by rule. */
export const ownerRoleId = 'owner'

/** The four system roles, lowest position first. */
export const systemRoles: readonly SystemRole[] = [
  {
    id: 'everyone',
    name: 'everyone',
    displayName: 'Everyone',
    description: 'Held by every account.',
    position: 0,
    pingable: false,
    assignable: false,
    isSystem: true,
  },
  {
    id: 'moderator',
    name: 'moderator',
    displayName: 'Moderator',
    description: 'Keeps conversations in order.',
    position: 100,
    pingable: true,
    assignable: true,
    isSystem: true,
  },
  {
    id: 'admin',
    name: 'admin',
    displayName: 'Admin',
    description: 'Manages the server, its rooms and its accounts.',
    position: 900,
    pingable: false,
    assignable: true,
    isSystem: true,
  },
  {
    id: 'owner',
    name: 'owner',
    displayName: 'Owner',
    description: 'May do everything.',
    position: 1000,
    pingable: false,
    assignable: true,
    isSystem: true,
  },
]

export type DefaultDecision = { readonly roleId: SystemRole['id']; readonly permission: Permission }

const everyonePermissions: readonly Permission[] = [
  'user.delete-self',
  'room.list',
  'room.join',
  'message.post',
  'message.post-in-thread',
  'message.attach',
  'message.react',
  'message.echo',
]

const moderatorPermissions: readonly Permission[] = ['message.manage', 'room.ban-member']

const adminPermissions = permissions
  .map(({ permission }) => permission)
  .filter((permission) => !permission.startsWith('message.') || permission === 'message.manage')

/** Decisions of a new server, all at server scope. `owner` has none stored: a rule allows it everything. */
export const defaultDecisions: readonly DefaultDecision[] = [
  ...everyonePermissions.map((permission) => ({ roleId: 'everyone' as const, permission })),
  ...moderatorPermissions.map((permission) => ({ roleId: 'moderator' as const, permission })),
  ...adminPermissions.map((permission) => ({ roleId: 'admin' as const, permission })),
]

/** The policy of a new server: system roles and default decisions, at the given revision. */
export function defaultPolicy(revision = 1n): GetPolicyResponse {
  return create(GetPolicyResponseSchema, {
    revision,
    roles: systemRoles.map(({ assignable: _, ...role }) => role),
    decisions: defaultDecisions.map(({ roleId, permission }) => ({
      roleId,
      permission,
      scope: { kind: PermissionScopeKind.SERVER },
      decision: PermissionDecision.ALLOW,
    })),
  })
}
