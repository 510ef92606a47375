import type { Cell } from '../state/cell.ts'
import type { People } from './people.ts'
import type { Sender } from './sender.ts'
import type { Connection } from './shared-events.ts'

/** Does what has to be done each time the stream opens, besides what its events and a reset cause. */
export function catchUpWhenOpen(
  connection: Cell<Connection>,
  { sender, people }: { sender: Sender; people: People },
): void {
  let wasOpen = connection.value === 'open'
  connection.subscribe(() => {
    if (connection.value !== 'open') return
    sender.sendWaiting()
    // A stream that goes on repeats what is stored, and presence is not.
    if (wasOpen) people.presenceMissed()
    wasOpen = true
  })
}
