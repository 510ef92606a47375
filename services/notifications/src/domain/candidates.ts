import type { PushKind } from './tag.ts'

/** Why somebody is told of a message. */
export type Kind = PushKind

/** Somebody to be told, if they want to be. */
export type Recipient = { userId: string; kind: Kind; silent: boolean }

/** People by why they are told: the first reason counts. */
export type Reasons = readonly (readonly [kind: Kind, userIds: Iterable<string>])[]

/** Each one's first reason; the author is told nothing. */
export function firstReasons(reasons: Reasons, authorId: string): Map<string, Kind> {
  const found = new Map<string, Kind>()
  for (const [kind, userIds] of reasons) {
    for (const userId of userIds) if (userId !== authorId && !found.has(userId)) found.set(userId, kind)
  }
  return found
}
