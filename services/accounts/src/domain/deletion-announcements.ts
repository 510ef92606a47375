import { encodeRealtimeEnvelope } from '@parley/events'
import { newId } from '@parley/ids'
import type { Announcement } from '../store/user-changes.ts'

/** Kinds of events whose deliveries contain a user's names, avatar, status or preferences. */
export const personalKinds = ['user_profile_updated', 'user_custom_status_set', 'user_server_preferences_changed']

/** The announcement to all services and clients that the account was deleted. */
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

/** The request to every service to erase its data about the account, in the pass with this number, from 1. */
export const erasureRequested = (pass: number): Announcement => ({
  kind: 'erasure_requested',
  fact: { case: 'erasureRequested', value: { pass } },
})
