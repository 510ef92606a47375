import type { MessageInitShape } from '@bufbuild/protobuf'
import type { MentionsSchema } from '@parley/contracts/internal'

/** A user mentioned in a text. */
export type MentionedUser = { userId: string; roleIds: readonly string[] }

/** The people and roles that a text mentions, regardless of membership in the room. */
export type Mentioned = {
  users: readonly MentionedUser[]
  /** Pingable roles. */
  roleIds: readonly string[]
  all: boolean
  here: boolean
  /** The mentioned users could not be fetched in time. */
  pending: boolean
}

export const nobody: Mentioned = { users: [], roleIds: [], all: false, here: false, pending: false }

/** Mentions in the form of facts; undefined when nobody is mentioned. */
export function toMentions(mentioned: Mentioned): MessageInitShape<typeof MentionsSchema> | undefined {
  const { users, roleIds, all, here } = mentioned
  if (users.length === 0 && roleIds.length === 0 && !all && !here) return undefined
  return { userIds: users.map(({ userId }) => userId), roleIds: [...roleIds], all, here }
}
