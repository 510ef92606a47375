import type { EventHandler } from '@parley/events'
import { reportClaimWithoutImage } from '../metrics.ts'
import { claimServerImage } from '../store/server-images.ts'

export const onProfileUpdated: EventHandler = async ({ aggregateId: ownerId, version, fact }, tx) => {
  if (fact.case !== 'userChanged') return
  const key = fact.value.avatarKey || undefined
  const outcome = await claimServerImage(tx, { ownerId, kind: 'avatar', key, version })
  if (outcome === 'gone' && key !== undefined) reportClaimWithoutImage(key, ownerId)
}
