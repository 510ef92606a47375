import type { EventHandler } from '@parley/events'
import { deleteSubscriptionsOfEnded } from '../store/push-subscriptions.ts'

/** Browsers are pushed to for as long as the session lasts that they subscribed with. */
export const onCredentialsEnded: EventHandler = async ({ aggregateId: userId, fact }, tx) => {
  if (fact.case === 'credentialsEnded') await deleteSubscriptionsOfEnded(tx, userId, fact.value)
}
