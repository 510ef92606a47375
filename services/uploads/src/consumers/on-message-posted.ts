import type { Event } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import { confirmPosted } from '../store/assets.ts'
import { beginPreviewUses } from '../store/preview-uses.ts'

/** Messages were posted: what they attach stays, and so do the images of their previews. */
export async function onMessagePosted(events: Event[], tx: Tx): Promise<void> {
  const posted = events.flatMap(({ id: eventId, fact }) =>
    fact.case === 'messagePosted' ? fact.value.attachmentAssetIds.map((assetId) => ({ assetId, eventId })) : [],
  )
  await confirmPosted(tx, posted)
  const shown = events.flatMap(({ id: messageEventId, actorId: authorId, fact }) => {
    const imageKey = fact.case === 'messagePosted' ? fact.value.linkPreviewImageKey : ''
    return imageKey === '' ? [] : [{ imageKey, messageEventId, authorId }]
  })
  await beginPreviewUses(tx, shown)
}

/** Messages came from elsewhere: what they attach stays. */
export async function onMessagesImported(events: Event[], tx: Tx): Promise<void> {
  const imported = events.flatMap(({ fact }) => (fact.case === 'messagesImported' ? fact.value.attachments : []))
  await confirmPosted(
    tx,
    imported.map(({ assetId, messageEventId }) => ({ assetId, eventId: messageEventId })),
  )
}
