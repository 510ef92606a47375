import type { Cell } from '../state/cell.ts'
import type { People } from './people.ts'
import type { Sender } from './sender.ts'
import type { Connection } from './shared-events.ts'

/** Refreshes, each time the stream opens, what neither its events nor a reset refresh. */
export function catchUpWhenOpen(
  connection: Cell<Connection>,
  { sender, people }: { sender: Sender; people: People },
): void {
  let wasOpen = connection.value === 'open'
  connection.subscribe(() => {
    if (connection.value !== 'open') return
    sender.sendWaiting()
    // A resumed stream repeats stored events, but presence is not stored.
    if (wasOpen) people.presenceMissed()
    wasOpen = true
  })
}
