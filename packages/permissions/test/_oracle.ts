import type { Permission } from '../src/permissions.ts'
import type { Outcome, Scope, Subject } from '../src/resolve.ts'
import type { DecisionSpec } from './_policies.ts'

/** The scopes that apply, nearest first, as tests write them. */
export function scopesOf(scope: Scope): string[] {
  switch (scope.kind) {
    case 'server':
      return ['server']
    case 'group':
      return [`group:${scope.groupId}`, 'server']
    case 'room':
      return [`room:${scope.roomId}`, `group:${scope.groupId}`, 'server']
    case 'dm':
      return [`room:${scope.roomId}`, 'server']
  }
}

/** The holders whose decisions apply to a subject, as tests write them. */
export const decisionSources = ({ userId, roleIds }: Subject): string[] => [
  `user:${userId}`,
  'role:everyone',
  ...roleIds.map((id) => `role:${id}`),
]

/** The effective decisions of a list about one permission: the last one for each holder and scope. */
export function effectiveDecisions(decisions: readonly DecisionSpec[], permission: Permission): DecisionSpec[] {
  const latest = new Map<string, DecisionSpec>()
  for (const decision of decisions) {
    const [who, , about, where] = decision
    if (about === permission) latest.set(`${who} ${where}`, decision)
  }
  return [...latest.values()].filter(([, what]) => what !== 'none')
}

/** The written rules, implemented literally over a plain list, without index or bit sets. */
export function oracle(
  decisions: readonly DecisionSpec[],
  subject: Subject,
  permission: Permission,
  scope: Scope,
): Outcome {
  const dm = scope.kind === 'dm'
  if (dm && permission === 'message.post-in-thread') return 'deny'
  if (subject.roleIds.some((id) => id === 'owner')) return 'allow'
  const never = ['room.create', 'room.manage', 'room.ban-member', 'message.manage', 'message.echo']
  if (dm && never.includes(permission)) return 'deny'
  const [sources, scopes] = [decisionSources(subject), scopesOf(scope)]
  const found = effectiveDecisions(decisions, permission)
    .filter(([who, , , where]) => sources.includes(who) && scopes.includes(where))
    .map(([, what]) => what)
  if (found.includes('deny')) return 'deny'
  if (found.includes('allow')) return 'allow'
  const open = ['room.join', 'message.post', 'message.attach', 'message.react']
  return dm && open.includes(permission) ? 'allow' : 'undecided'
}
