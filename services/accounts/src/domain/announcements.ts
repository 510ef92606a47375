import { encodeRealtimeEnvelope } from '@parley/events'
import { newId } from '@parley/ids'
import type { Announcement } from '../store/user-changes.ts'

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

/** For other processes, not for clients. */
export const currentRoles = (roleIds: string[], rolesVersion: bigint): Announcement => ({
  kind: 'roles_changed',
  fact: { case: 'userRolesChanged', value: { roleIds, rolesVersion } },
})

/** The user's clients reload their permissions. */
export function rolesChanged(userId: string, at: Date, roleIds: string[], rolesVersion: bigint): Announcement {
  const id = newId('event')
  const envelope = encodeRealtimeEnvelope('permissions_changed', { id, createdAt: at, value: {} })
  return {
    ...currentRoles(roleIds, rolesVersion),
    id,
    deliveries: [{ envelope, audience: { case: 'users', value: { userIds: [userId] } } }],
  }
}

/**
 * Announces the roles of a user again, with a higher version: after a restore of the database, other processes may know
 * different roles.
 */
export const announceRolesAgain = (roleIds: readonly string[]) => ({
  raisesRolesVersion: true,
  announce: (version: bigint) => [currentRoles([...roleIds], version)],
})

export const loginEvent = (succeeded: boolean): Announcement => ({
  kind: succeeded ? 'login_succeeded' : 'login_failed',
  fact: { case: 'login', value: { succeeded } },
})

/**
 * For the audit log. Details are ids, keywords, role names and origins of web clients, never personal data or secrets.
 */
export const auditEvent = (kind: string, details: Record<string, string> = {}): Announcement => ({
  kind,
  fact: { case: 'details', value: { details } },
})

/** For the audit log, in addition to `roles_changed`. */
export const roleAssigned = (roleId: string, roleName = roleId): Announcement =>
  auditEvent('rbac_role_assigned', { role_id: roleId, role_name: roleName })

/** Some sessions were ended, expired or were displaced by newer ones. Only their sockets are closed. */
export const sessionsRevoked = (credentialIds: string[]): Announcement => ({
  kind: 'credentials_ended',
  fact: {
    case: 'credentialsEnded',
    value: { credentialIds, all: false, reason: 'session_revoked' satisfies EndReason },
  },
})

/**
 * All credentials of an account have ended, or those with the given ids. Unless the reason is `session_revoked`, all
 * sockets of the account are closed, also those of other credentials.
 */
export function credentialsEnded(
  userId: string,
  at: Date,
  ended: { credentialIds: string[]; all: boolean; reason: EndReason },
): Announcement {
  const id = newId('event')
  const envelope = encodeRealtimeEnvelope('session_terminated', {
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
