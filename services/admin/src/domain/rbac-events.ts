import type { OutgoingEvent } from '@parley/events'
import { scopeName, type DecisionScope } from './decision-scope.ts'
import type { RoleField } from './role-properties.ts'

export type RbacEvent = Pick<OutgoingEvent, 'kind' | 'aggregateId' | 'fact'>

type Named = { id: string; name: string }
export type DecisionSubject = { roleName: string } | { userId: string }

const event = (kind: string, aggregateId: string, details: Record<string, string>): RbacEvent => {
  return { kind, aggregateId, fact: { case: 'details', value: { details } } }
}
const detailsOf = ({ id, name }: Named) => ({ role_id: id, role_name: name })

export const roleCreated = (role: Named): RbacEvent => event('rbac_role_created', role.name, detailsOf(role))

export const roleDeleted = (role: Named): RbacEvent => event('rbac_role_deleted', role.name, detailsOf(role))

const fieldKinds: Record<RoleField, string> = {
  displayName: 'rbac_role_display_name_changed',
  description: 'rbac_role_description_changed',
  pingable: 'rbac_role_pingable_changed',
}

export const roleFieldChanged = (role: Named & { pingable: boolean }, field: RoleField): RbacEvent =>
  event(fieldKinds[field], role.name, {
    ...detailsOf(role),
    ...(field === 'pingable' && { pingable: String(role.pingable) }),
  })

export const rolesReordered = (names: readonly string[]): RbacEvent =>
  event('rbac_roles_reordered', 'server', { role_names: names.join(' ') })

const decisionKinds = {
  allow: 'rbac_permission_granted',
  deny: 'rbac_permission_denied',
  none: 'rbac_permission_cleared',
}

export function permissionDecided(
  subject: DecisionSubject,
  permission: string,
  scope: DecisionScope,
  decision: keyof typeof decisionKinds,
): RbacEvent {
  const [aggregateId, subjectDetails] =
    'userId' in subject
      ? [subject.userId, { user_id: subject.userId }]
      : [subject.roleName, { role_name: subject.roleName }]
  return event(decisionKinds[decision], aggregateId, { ...subjectDetails, permission, scope: scopeName(scope) })
}
