import { clearDraft } from '../storage/drafts.ts'
import { answering } from '../state/composing.ts'
import type { Chat } from './chat.ts'

type Parts = Pick<Chat, 'files' | 'sender' | 'userId' | 'timelineAt'>

/**
 * Sends written messages as soon as their files are uploaded, also while their conversation is not shown. Stops when
 * the returned function is called.
 */
export const sendWritten = (chat: Parts): (() => void) =>
  chat.files.sendWith((conversation, message) => {
    chat.sender.send(message)
    clearDraft(chat.userId, conversation)
    if (answering.value?.conversation === conversation) answering.set(undefined)
    void chat.timelineAt(conversation)?.goToNewest()
  })
