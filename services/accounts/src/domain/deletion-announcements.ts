import { encodeRealtimeEnvelope } from '@parley/events'
import { newId } from '@parley/ids'
import type { Announcement } from '../store/user-changes.ts'

/** Kinds of events whose deliveries contain a user's names, avatar, status or preferences. */
export const personalKinds = ['user_profile_updated', 'user_custom_status_set', 'user_server_preferences_changed']

export function accountDeleted(userId: string, cause: { actorId: string; at: Date }): Announcement {
  const id = newId('event')
  const about = { id, createdAt: cause.at, actorId: cause.actorId, value: { userId } }
  const envelope = encodeRealtimeEnvelope('server_member_deleted', about)
  return {
    id,
    kind: 'account_deleted',
    fact: { case: 'userChanged', value: { deleted: true } },
    deliveries: [{ envelope, audience: { case: 'everyone', value: true } }],
  }
}

export const erasureRequested = (pass: number): Announcement => ({
  kind: 'erasure_requested',
  fact: { case: 'erasureRequested', value: { pass } },
})
