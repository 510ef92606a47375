import type { Unfinished } from '../state/overlay.ts'
import type { Chat } from './chat.ts'
import { drafts } from './drafts.ts'

/** Undefined if all numbers are 0. */
export function unfinishedOf({ sender, files }: Pick<Chat, 'sender' | 'files'>): Unfinished | undefined {
  const messages = sender.queue.value.filter(({ state }) => state !== 'sent').length
  const left = { messages, drafts: drafts.value.size, files: files.count() }
  return left.messages + left.drafts + left.files > 0 ? left : undefined
}
