import { clearDraft, followDrafts } from '../storage/drafts.ts'
import { endReply } from '../state/composing.ts'
import type { Chat } from './chat.ts'

type Parts = Pick<Chat, 'files' | 'sender' | 'userId' | 'timelineAt'>

/**
 * Sends written messages as soon as their files are uploaded, also while their conversation is not shown. A waiting
 * message is not sent if its draft is changed or sent in another tab. Stops when the returned function is called.
 */
export function sendWritten(chat: Parts): () => void {
  const stops = [
    chat.files.sendWith((conversation, message) => {
      chat.sender.send(message)
      clearDraft(chat.userId, conversation)
      endReply(conversation)
      void chat.timelineAt(conversation)?.goToNewest()
    }),
    followDrafts(chat.userId, (conversation) => chat.files.writtenIn(conversation).set(undefined)),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
