import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { CustomUserStatusSchema, type CustomUserStatus } from '@parley/contracts/api'
import type { UserRow } from '../store/users.ts'

type StoredStatus = Pick<UserRow, 'statusEmoji' | 'statusText' | 'statusExpiresAt'>

export function toCustomStatus(user: StoredStatus, now: Date): CustomUserStatus | undefined {
  const { statusEmoji: emoji, statusText: text, statusExpiresAt: expiresAt } = user
  if (emoji === null || text === null || (expiresAt && expiresAt <= now)) return undefined
  return create(CustomUserStatusSchema, { emoji, text, ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }) })
}
