import type { Emoji } from '../markdown/emoji.ts'
import { Cell } from './cell.ts'

export type Picture = { id: string; url: string; name: string; width: number; height: number }

export type Unfinished = {
  /** Messages that are waiting, being sent, or refused. */
  messages: number
  drafts: number
  /** Files for the next message. */
  files: number
}

export type Dialog =
  | { kind: 'settings'; at?: 'language' | 'status' | 'appearance' }
  | { kind: 'directory' }
  | { kind: 'newRoom'; groupId?: string }
  | { kind: 'newDm' }
  | { kind: 'switcher' }
  | { kind: 'shortcuts' }
  | { kind: 'profile'; userId: string }
  | { kind: 'reactions'; roomId: string; rootId: string; messageId: string }
  | { kind: 'pictures'; pictures: readonly Picture[]; at: number }
  /** `left`: what signing out leaves unsent. `onLeave` signs out. */
  | { kind: 'signOut'; left: Unfinished; onLeave: () => void }
  | { kind: 'emoji'; search?: string; onPick: (emoji: Emoji) => void }

export const dialog = new Cell<Dialog | undefined>(undefined)

/** Side panes beside the room, shown instead of a thread. */
export type Pane = 'room' | 'threads' | 'notifications'

/** Navigating elsewhere closes the open pane. */
export const pane = new Cell<Pane | undefined>(undefined)

export const togglePane = (wanted: Pane): void => pane.update((open) => (open === wanted ? undefined : wanted))
