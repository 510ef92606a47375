import type { EventHandler } from '@parley/events'
import { reportClaimWithoutImage } from '../metrics.ts'
import { claimServerImage } from '../store/server-images.ts'

export const onServerUpdated: EventHandler = async ({ version, fact }, tx) => {
  if (fact.case !== 'serverProfileChanged') return
  const { logoKey, bannerKey } = fact.value
  for (const [kind, keyOrEmpty] of [
    ['logo', logoKey],
    ['banner', bannerKey],
  ] as const) {
    const key = keyOrEmpty || undefined
    const outcome = await claimServerImage(tx, { ownerId: 'server', kind, key, version })
    if (outcome === 'gone' && key !== undefined) reportClaimWithoutImage(key, 'server')
  }
}
