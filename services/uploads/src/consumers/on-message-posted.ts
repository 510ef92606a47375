import type { Event } from '@parley/contracts/internal'
import type { Tx } from '@parley/postgres'
import { keepPosted } from '../actions/files/keep-posted.ts'
import { beginPreviewUses } from '../store/preview-uses.ts'

type Options = {
  now: () => Date
  processesVideos: boolean
}

export const onMessagePosted =
  (options: Options) =>
  async (events: Event[], tx: Tx): Promise<void> => {
    const posted = events.flatMap(({ id: eventId, fact }) =>
      fact.case === 'messagePosted' ? fact.value.attachmentAssetIds.map((assetId) => ({ assetId, eventId })) : [],
    )
    await keepPosted(tx, { files: posted, imported: false }, { ...options, now: options.now() })
    const shown = events.flatMap(({ id: messageEventId, actorId: authorId, fact }) => {
      const imageKey = fact.case === 'messagePosted' ? fact.value.linkPreviewImageKey : ''
      return imageKey === '' ? [] : [{ imageKey, messageEventId, authorId }]
    })
    await beginPreviewUses(tx, shown)
  }

export const onMessagesImported =
  (options: Options) =>
  async (events: Event[], tx: Tx): Promise<void> => {
    const imported = events.flatMap(({ fact }) => (fact.case === 'messagesImported' ? fact.value.attachments : []))
    const files = imported.map(({ assetId, messageEventId: eventId }) => ({ assetId, eventId }))
    await keepPosted(tx, { files, imported: true }, { ...options, now: options.now() })
  }
