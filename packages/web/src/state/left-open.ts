import { editing, replyingTo } from './composing.ts'
import { dialog, pane } from './overlay.ts'

let latestUserId: string | undefined

/**
 * Closes what another user has left open on this page. For the same user, for example in another language, it stays
 * open.
 */
export function closeLeftOpen(userId: string): void {
  if (latestUserId !== undefined && latestUserId !== userId) {
    for (const cell of [dialog, pane, editing]) cell.set(undefined)
    replyingTo.set(new Map())
  }
  latestUserId = userId
}
