import type { EventPreparation } from '@parley/events'
import type { Context } from '../context.ts'
import { deletePushesOfEnded, deleteSubscriptionsOfEnded } from '../store/push-subscriptions.ts'

export const onCredentialsEnded =
  ({ db }: Pick<Context, 'db'>): EventPreparation =>
  async ({ aggregateId: userId, fact }) => {
    if (fact.case !== 'credentialsEnded') return undefined
    await deletePushesOfEnded(db, userId, fact.value)
    return async (tx) => void (await deleteSubscriptionsOfEnded(tx, userId, fact.value))
  }
