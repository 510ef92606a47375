import type { Chat } from './chat.ts'
import { drafts } from './drafts.ts'

/** What a user has begun and not sent, on this device. */
export type Unfinished = {
  /** Messages that wait or were refused. */
  messages: number
  /** Rooms and threads with a draft. */
  drafts: number
  /** Files for the next message. */
  files: number
}

/** Undefined if everything is sent. */
export function unfinishedOf({ sender, files }: Pick<Chat, 'sender' | 'files'>): Unfinished | undefined {
  const messages = sender.queue.value.filter(({ state }) => state !== 'sent').length
  const left = { messages, drafts: drafts.value.size, files: files.count() }
  return left.messages + left.drafts + left.files > 0 ? left : undefined
}
