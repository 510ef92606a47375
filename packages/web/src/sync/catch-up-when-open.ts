import type { Cell } from '../state/cell.ts'
import type { PendingFiles } from './pending-files.ts'
import type { People } from './people.ts'
import type { Sender } from './sender.ts'
import type { Connection } from './shared-events.ts'

/**
 * Sends waiting messages and continues failed uploads each time the connection opens, and reloads presence each time it
 * opens again.
 */
export function catchUpWhenOpen(
  connection: Cell<Connection>,
  { sender, files, people }: { sender: Sender; files: PendingFiles; people: People },
): void {
  let wasOpen = connection.value === 'open'
  connection.subscribe(() => {
    if (connection.value !== 'open') return
    sender.sendWaiting()
    files.resumeFailed()
    // A resumed connection replays stored events, but presence is not stored.
    if (wasOpen) people.reloadPresence()
    wasOpen = true
  })
}
