import type { Bus } from '@parley/rpc'
import { publishEvents } from '@parley/testkit'

/** Announces on the control feed, as accounts would, that all credentials of a user have ended. */
export async function credentialsEndedOf(bus: Bus, userId: string): Promise<void> {
  const about = { aggregateType: 'user', aggregateId: userId, kind: 'credentials_ended' } as const
  const value = { all: true, reason: 'password_changed' }
  await publishEvents(bus, { ...about, actorId: userId, fact: { case: 'credentialsEnded', value } })
}
