import type { MessageInitShape } from '@bufbuild/protobuf'
import type { MentionsSchema } from '@parley/contracts/internal'

export type MentionedUser = { userId: string; roleIds: readonly string[] }

export type FoundMentions = {
  users: readonly MentionedUser[]
  roleIds: readonly string[]
  all: boolean
  here: boolean
  /** Users may be missing because the service `accounts` did not answer in time. */
  pending: boolean
}

export const noMentions: FoundMentions = { users: [], roleIds: [], all: false, here: false, pending: false }

export function toMentionsFact(mentioned: FoundMentions): MessageInitShape<typeof MentionsSchema> | undefined {
  const { users, roleIds, all, here } = mentioned
  if (users.length === 0 && roleIds.length === 0 && !all && !here) return undefined
  return { userIds: users.map(({ userId }) => userId), roleIds: [...roleIds], all, here }
}
