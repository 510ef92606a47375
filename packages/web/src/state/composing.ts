import type { Message } from '@parley/client/contract'
import { Cell } from './cell.ts'

/** The message that the user replies to, and the conversation of the reply. */
export const answering = new Cell<{ conversation: string; message: Message } | undefined>(undefined)

/** Id of the message that the user edits. */
export const editing = new Cell<string | undefined>(undefined)
