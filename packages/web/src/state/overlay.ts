import type { Emoji } from '../markdown/emoji.ts'
import { Cell } from './cell.ts'

/** A picture of a message, in full size. */
export type Picture = { id: string; url: string; name: string; width: number; height: number }

/** Unfinished work of a user on this device. */
export type Unfinished = {
  /** Messages that are waiting, being sent, or refused. */
  messages: number
  /** Rooms and threads with a draft. */
  drafts: number
  /** Files for the next message. */
  files: number
}

/** Modal dialogs. */
export type Dialog =
  /** `at`: the section or setting that is shown first. */
  | { kind: 'settings'; at?: 'language' | 'status' | 'appearance' }
  | { kind: 'directory' }
  /** `groupId`: the group selected initially. */
  | { kind: 'newRoom'; groupId?: string }
  | { kind: 'newDm' }
  | { kind: 'switcher' }
  | { kind: 'shortcuts' }
  | { kind: 'profile'; userId: string }
  | { kind: 'reactions'; roomId: string; rootId: string; messageId: string }
  | { kind: 'pictures'; pictures: readonly Picture[]; at: number }
  /** `left`: what signing out leaves unsent. `onLeave` signs out. */
  | { kind: 'signOut'; left: Unfinished; onLeave: () => void }
  /** `search`: what is searched for at first. */
  | { kind: 'emoji'; search?: string; onPick: (emoji: Emoji) => void }

/** The dialog that is open. */
export const dialog = new Cell<Dialog | undefined>(undefined)

/** Side panes beside the room, shown instead of a thread. */
export type Pane = 'room' | 'threads' | 'notifications'

/** The open side pane. Navigating elsewhere closes it. */
export const pane = new Cell<Pane | undefined>(undefined)

/** Opens a side pane, or closes it if it is open. */
export const togglePane = (wanted: Pane): void => pane.update((open) => (open === wanted ? undefined : wanted))
