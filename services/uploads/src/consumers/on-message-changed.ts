import type { Event } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import { markAssetsForDeletion } from '../store/assets.ts'
import { endPreviewUses } from '../store/preview-uses.ts'

/**
 * Marks for deletion the files that the messages no longer show, and records that the messages no longer use the images
 * of their previews.
 */
export async function onMessageChanged(events: Event[], tx: Tx): Promise<void> {
  const changes = events.flatMap(({ fact }) =>
    fact.case === 'messageEdited' || fact.case === 'messageRetracted' ? [fact.value] : [],
  )
  await markAssetsForDeletion(
    tx,
    changes.flatMap(({ removedAssetIds }) => removedAssetIds),
  )
  const endedUses = changes.flatMap(({ removedLinkPreviewImageKey: imageKey, messageEventId }) =>
    imageKey === '' ? [] : [{ imageKey, messageEventId }],
  )
  await endPreviewUses(tx, endedUses)
}
