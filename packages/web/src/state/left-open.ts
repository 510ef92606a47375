import { editing, replyingTo } from './composing.ts'
import { dialog, pane } from './overlay.ts'

let latestUserId: string | undefined

/**
 * Call this when the chat page is built. Closes what another user has left open. For the same user it stays open,
 * because the page is also built anew when the language changes.
 */
export function closeLeftOpen(userId: string): void {
  if (latestUserId !== undefined && latestUserId !== userId) {
    for (const cell of [dialog, pane, editing]) cell.set(undefined)
    replyingTo.set(new Map())
  }
  latestUserId = userId
}
