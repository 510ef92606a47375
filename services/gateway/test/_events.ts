import type { Bus } from '@parley/rpc'
import { publishEvents } from '@parley/testkit'

/** Like accounts, ends all credentials of a user. */
export async function publishCredentialsEnded(bus: Bus, userId: string): Promise<void> {
  const about = { aggregateType: 'user', aggregateId: userId, kind: 'credentials_ended' } as const
  const value = { all: true, reason: 'password_changed' }
  await publishEvents(bus, { ...about, actorId: userId, fact: { case: 'credentialsEnded', value } })
}
