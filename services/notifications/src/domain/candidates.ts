import type { PushKind } from './tag.ts'

/** Why a user is notified of a message. */
export type Kind = PushKind

/** A person to notify, unless their level forbids it. `silent`: the status is do not disturb, so nothing is pushed. */
export type Recipient = { userId: string; kind: Kind; silent: boolean }

/** Candidates by kind; only a person's first kind is used. */
export type CandidatesByKind = readonly (readonly [kind: Kind, userIds: Iterable<string>])[]

/** Returns the first kind of each candidate, without the author, who is never notified. */
export function findFirstKinds(candidates: CandidatesByKind, authorId: string): Map<string, Kind> {
  const found = new Map<string, Kind>()
  for (const [kind, userIds] of candidates) {
    for (const userId of userIds) if (userId !== authorId && !found.has(userId)) found.set(userId, kind)
  }
  return found
}
