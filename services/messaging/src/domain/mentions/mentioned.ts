import type { MessageInitShape } from '@bufbuild/protobuf'
import type { MentionsSchema } from '@parley/contracts/internal'

/** `roleIds`: all roles except everyone. */
export type MentionedUser = { userId: string; roleIds: readonly string[] }

/** Whether or not they are in the room. */
export type FoundMentions = {
  users: readonly MentionedUser[]
  /** Pingable roles. */
  roleIds: readonly string[]
  all: boolean
  here: boolean
  /** Whether users may be missing because accounts did not answer in time. */
  pending: boolean
}

export const noMentions: FoundMentions = { users: [], roleIds: [], all: false, here: false, pending: false }

/** Undefined if nobody is mentioned. */
export function toMentionsFact(mentioned: FoundMentions): MessageInitShape<typeof MentionsSchema> | undefined {
  const { users, roleIds, all, here } = mentioned
  if (users.length === 0 && roleIds.length === 0 && !all && !here) return undefined
  return { userIds: users.map(({ userId }) => userId), roleIds: [...roleIds], all, here }
}
