import { realtimeEnvelope } from '@parley/events'
import { newId } from '@parley/ids'
import type { Announcement } from '../store/user-changes.ts'

/** Reasons for ended credentials, as sent to sockets. */
const endReasons = [
  'logout',
  'password_changed',
  'password_reset',
  'account_deleted',
  'account_deactivated',
  'external_identity_disconnected',
  'session_revoked',
] as const
export type EndReason = (typeof endReasons)[number]

export const isEndReason = (text: string): text is EndReason => endReasons.some((reason) => reason === text)

export const userCreated = (): Announcement => ({
  kind: 'user_created',
  fact: { case: 'userChanged', value: { created: true } },
})

/** The roles that a user holds. */
export const rolesHeld = (roleIds: string[], rolesVersion: bigint): Announcement => ({
  kind: 'roles_changed',
  fact: { case: 'userRolesChanged', value: { roleIds, rolesVersion } },
})

/** The new roles of a user, whose clients reload their permissions. */
export function rolesChanged(userId: string, at: Date, roleIds: string[], rolesVersion: bigint): Announcement {
  const id = newId('event')
  const envelope = realtimeEnvelope('permissions_changed', { id, createdAt: at, value: {} })
  return {
    ...rolesHeld(roleIds, rolesVersion),
    id,
    deliveries: [{ envelope, audience: { case: 'users', value: { userIds: [userId] } } }],
  }
}

/**
 * Repeats the roles that a user already holds: other processes may know different ones, which the database has lost.
 */
export const rolesAgain = (roleIds: readonly string[]) => ({
  changesRoles: true,
  announce: (version: bigint) => [rolesHeld([...roleIds], version)],
})

export const loginEvent = (succeeded: boolean): Announcement => ({
  kind: succeeded ? 'login_succeeded' : 'login_failed',
  fact: { case: 'login', value: { succeeded } },
})

/** An event only for the audit log: ids and keywords, never names, addresses or secrets. */
export const noted = (kind: string, details: Record<string, string> = {}): Announcement => ({
  kind,
  fact: { case: 'details', value: { details } },
})

/** A role was assigned; sent in addition to `roles_changed`, which lists the resulting roles. */
export const roleAssigned = (roleId: string, roleName = roleId): Announcement =>
  noted('rbac_role_assigned', { role_id: roleId, role_name: roleName })

/**
 * Some sessions of an account ended, expired or were displaced, while others continue: only their sockets are closed,
 * and the other sessions are not notified.
 */
export const sessionsRevoked = (credentialIds: string[]): Announcement => ({
  kind: 'credentials_ended',
  fact: {
    case: 'credentialsEnded',
    value: { credentialIds, all: false, reason: 'session_revoked' satisfies EndReason },
  },
})

export function credentialsEnded(
  userId: string,
  at: Date,
  ended: { credentialIds: string[]; all: boolean; reason: EndReason },
): Announcement {
  const id = newId('event')
  const envelope = realtimeEnvelope('session_terminated', {
    id,
    createdAt: at,
    actorId: userId,
    value: { reason: ended.reason },
  })
  return {
    id,
    kind: 'credentials_ended',
    fact: { case: 'credentialsEnded', value: ended },
    deliveries: [{ envelope, audience: { case: 'users', value: { userIds: [userId] } } }],
  }
}
