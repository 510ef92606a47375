import type { PermissionExplanation } from '@parley/client/contract'
import { PermissionDecision, PermissionDecisionLevel } from '@parley/client/contract'

export type Reason = {
  what: 'see' | 'join' | 'post' | 'reply' | 'attach' | 'react'
  allowed: boolean
  /** What decides: nobody, the rule that owners may do everything, or a decision for a role or a person. */
  by: 'nobody' | 'rule' | 'role' | 'person'
  /** Name of the role by which it is decided, `owner` for the rule; empty otherwise. */
  role: string
  at: 'server' | 'group' | 'room' | 'none'
}

const inRooms: readonly (readonly [permission: string, what: Reason['what']])[] = [
  ['room.list', 'see'],
  ['room.join', 'join'],
  ['message.post', 'post'],
  ['message.post-in-thread', 'reply'],
  ['message.attach', 'attach'],
  ['message.react', 'react'],
]

const forMembers: ReadonlySet<Reason['what']> = new Set(['post', 'reply', 'attach', 'react'])

/** `asMember`: allowed to members, and the person is not known to be one. */
export function answerOf({ what, allowed }: Reason, isMember: boolean | undefined): 'yes' | 'asMember' | 'no' {
  if (!allowed) return 'no'
  return isMember !== true && forMembers.has(what) ? 'asMember' : 'yes'
}

const levels = new Map<PermissionDecisionLevel, Reason['at']>([
  [PermissionDecisionLevel.SERVER, 'server'],
  [PermissionDecisionLevel.GROUP, 'group'],
  [PermissionDecisionLevel.ROOM, 'room'],
])

export function reasonsOf(explanations: readonly PermissionExplanation[]): Reason[] {
  const known = new Map(explanations.map((explanation) => [explanation.permission, explanation]))
  return inRooms.flatMap(([permission, what]) => {
    const explanation = known.get(permission)
    return explanation ? [{ what, ...reasonOf(explanation) }] : []
  })
}

function reasonOf({ state, decidedAt, decidedByRole: role }: PermissionExplanation): Omit<Reason, 'what'> {
  const at = levels.get(decidedAt) ?? 'none'
  const allowed = state === PermissionDecision.ALLOW
  const by = at === 'none' ? (allowed ? 'rule' : 'nobody') : role === '' ? 'person' : 'role'
  return { allowed, by, role, at }
}
