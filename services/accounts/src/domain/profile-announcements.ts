import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { TimeFormat } from '@parley/contracts/api'
import { encodeRealtimeEnvelope, type RealtimeKind, type RealtimeValue } from '@parley/events'
import { newId } from '@parley/ids'
import type { Announcement } from '../store/user-changes.ts'
import type { UserRow } from '../store/users.ts'
import { auditEvent } from './announcements.ts'
import type { CustomStatus } from './custom-status.ts'

export type Cause = { actorId: string; at: Date }
type Audience = NonNullable<NonNullable<Announcement['deliveries']>[number]['audience']>

const everyone: Audience = { case: 'everyone', value: true }

export function profileUpdated(
  user: Pick<UserRow, 'id' | 'login' | 'displayName' | 'avatarKey'>,
  avatarUrl: string | undefined,
  cause: Cause,
): Announcement {
  const { id: userId, login, displayName, avatarKey } = user
  const value = { userId, login, displayName: displayName ?? login, ...(avatarUrl !== undefined && { avatarUrl }) }
  return {
    ...deliveryOf('user_profile_updated', value, everyone, cause),
    kind: 'user_profile_updated',
    fact: { case: 'userChanged', value: { avatarKey: avatarKey ?? '' } },
  }
}

export function customStatusSet(userId: string, status: CustomStatus, cause: Cause): Announcement {
  const { emoji, text, expiresAt } = status
  const value = { userId, emoji, text, ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }) }
  return { ...auditEvent('user_custom_status_set'), ...deliveryOf('user_custom_status_set', value, everyone, cause) }
}

export const customStatusCleared = (userId: string, cause: Cause): Announcement => ({
  ...auditEvent('user_custom_status_cleared'),
  ...deliveryOf('user_custom_status_cleared', { userId }, everyone, cause),
})

export function preferencesChanged(
  { id, timezone, timeFormat }: Pick<UserRow, 'id' | 'timezone' | 'timeFormat'>,
  cause: Cause,
): Announcement {
  const value = { ...(timezone !== null && { timezone }), timeFormat: timeFormat ?? TimeFormat.TIME_FORMAT_AUTO }
  const audience: Audience = { case: 'users', value: { userIds: [id] } }
  // The audit log and the client protocol have different names for this event.
  return {
    ...auditEvent('user_server_preferences_changed'),
    ...deliveryOf('server_user_preferences_updated', value, audience, cause),
  }
}

function deliveryOf<K extends RealtimeKind>(
  kind: K,
  value: RealtimeValue<K>,
  audience: Audience,
  { actorId, at }: Cause,
): Required<Pick<Announcement, 'id' | 'deliveries'>> {
  const id = newId('event')
  return {
    id,
    deliveries: [{ envelope: encodeRealtimeEnvelope(kind, { id, createdAt: at, actorId, value }), audience }],
  }
}
