import type { Bus } from '@parley/rpc'
import { publishEvents } from '@parley/testkit'

/** Announces, as accounts does, that all credentials of a user have ended. */
export async function publishCredentialsEnded(bus: Bus, userId: string): Promise<void> {
  const about = { aggregateType: 'user', aggregateId: userId, kind: 'credentials_ended' } as const
  const value = { all: true, reason: 'password_changed' }
  await publishEvents(bus, { ...about, actorId: userId, fact: { case: 'credentialsEnded', value } })
}
