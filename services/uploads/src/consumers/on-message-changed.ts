import type { Event } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import { markAssetsForDeletion } from '../store/assets.ts'
import { endPreviewUses } from '../store/preview-uses.ts'

/** Messages were edited or taken back: what they show no longer goes. */
export async function onMessageChanged(events: Event[], tx: Tx): Promise<void> {
  const changes = events.flatMap(({ fact }) =>
    fact.case === 'messageEdited' || fact.case === 'messageRetracted' ? [fact.value] : [],
  )
  await markAssetsForDeletion(
    tx,
    changes.flatMap(({ removedAssetIds }) => removedAssetIds),
  )
  const hidden = changes.flatMap(({ removedLinkPreviewImageKey: imageKey, messageEventId }) =>
    imageKey === '' ? [] : [{ imageKey, messageEventId }],
  )
  await endPreviewUses(tx, hidden)
}
