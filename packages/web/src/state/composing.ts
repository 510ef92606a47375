import type { Message } from '@parley/client/contract'
import { Cell } from './cell.ts'

/** The message that the user replies to, and the conversation of the reply. */
export const replyingTo = new Cell<{ conversation: string; message: Message } | undefined>(undefined)

/** Id of the message that the user edits. */
export const editing = new Cell<string | undefined>(undefined)

/** Ends the edit of a message, unless the user edits another one by now. */
export const endEdit = (messageId: string): void => editing.update((id) => (id === messageId ? undefined : id))

/** A text of an edit that has not been saved. */
export type BegunEdit = { userId: string; messageId: string; body: string }

let begun: BegunEdit | undefined
// An edit has ended, or another one has begun.
editing.subscribe(() => (begun = undefined))

/** Keeps the text of the present edit for when its form is shown again, for example in another language. */
export const keepEdit = (edit: BegunEdit): void => void (begun = edit)

/** The kept text of a user's edit of a message. */
export const keptEdit = (userId: string, messageId: string): string | undefined =>
  begun?.userId === userId && begun.messageId === messageId ? begun.body : undefined
