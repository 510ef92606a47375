import type { Message } from '@parley/client/contract'
import { Cell } from './cell.ts'

/** The messages that the user replies to, by the room or thread of the reply. */
export const replyingTo = new Cell<ReadonlyMap<string, Message>>(new Map())

/** Begins a reply in a room or thread, in place of another one there. */
export const beginReply = (conversation: string, message: Message): void =>
  replyingTo.update((replies) => new Map(replies).set(conversation, message))

/** Ends the reply in a room or thread, if there is one. */
export const endReply = (conversation: string): void =>
  replyingTo.update((replies) =>
    replies.has(conversation) ? new Map([...replies].filter(([key]) => key !== conversation)) : replies,
  )

/** Id of the message that the user edits. */
export const editing = new Cell<string | undefined>(undefined)

/** The text of an edit, which the user has not saved yet. */
export type BegunEdit = { userId: string; messageId: string; body: string }

let begun: BegunEdit | undefined
// The kept text is dropped when its edit ends or another one begins.
editing.subscribe(() => (begun = undefined))

/** Ends the edit of a message whose text is saved, unless the user has continued to write, or edits another message. */
export function endEdit(messageId: string, saved: string): void {
  if (begun?.messageId === messageId && begun.body !== saved) return
  editing.update((id) => (id === messageId ? undefined : id))
}

/** Keeps the text of the present edit for when its form is shown again, for example in another language. */
export const keepEdit = (edit: BegunEdit): void => void (begun = edit)

/** The kept text of a user's edit of a message. */
export const keptEdit = (userId: string, messageId: string): string | undefined =>
  begun?.userId === userId && begun.messageId === messageId ? begun.body : undefined
