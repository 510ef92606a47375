import { conversationsWithDraft, followDrafts } from '../storage/drafts.ts'
import { Cell } from '../state/cell.ts'

/** Conversations in which the user has a draft on this device. */
export const drafts = new Cell<ReadonlySet<string>>(new Set())

/** Keeps {@link drafts} up to date with this and other tabs, until the returned function is called. */
export function watchDrafts(userId: string): () => void {
  const update = () => drafts.set(new Set(conversationsWithDraft(userId)))
  update()
  return followDrafts(userId, update)
}

export function setHasDraft(conversation: string, hasDraft: boolean): void {
  if (drafts.value.has(conversation) === hasDraft) return
  const conversations = new Set(drafts.value)
  if (hasDraft) conversations.add(conversation)
  else conversations.delete(conversation)
  drafts.set(conversations)
}
