import type { Message } from '@parley/client/contract'
import { Cell } from './cell.ts'

/** The message that is being answered, and the place that the answer goes to. */
export const answering = new Cell<{ place: string; message: Message } | undefined>(undefined)

/** Id of the message that is being edited. */
export const editing = new Cell<string | undefined>(undefined)
