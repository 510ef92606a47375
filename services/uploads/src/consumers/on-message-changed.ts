import type { Event } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import { markAssetsForDeletion } from '../store/assets.ts'
import { endPreviewUses } from '../store/preview-uses.ts'

/** After messages were edited or retracted, deletes the files and images that they no longer show. */
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
