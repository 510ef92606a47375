import type { NotificationKind } from './tag.ts'

/**
 * A person to notify, unless their level forbids it. `silent`: their status is do not disturb, so nothing is pushed.
 */
export type Recipient = { userId: string; kind: NotificationKind; silent: boolean }

export type CandidatesByKind = readonly (readonly [kind: NotificationKind, userIds: Iterable<string>])[]

export function findFirstKinds(candidates: CandidatesByKind, authorId: string): Map<string, NotificationKind> {
  const found = new Map<string, NotificationKind>()
  for (const [kind, userIds] of candidates) {
    for (const userId of userIds) if (userId !== authorId && !found.has(userId)) found.set(userId, kind)
  }
  return found
}
