import { isLasting } from './failures.ts'
import type { Timeline } from './timeline.ts'

/** Key of a changed message. */
export const changedMessage = (roomId: string, messageId: string): string => `${roomId}/${messageId}`

/** Reloads changed messages in all timelines of their rooms. Fails if a retry may help. */
export async function readChanged(
  changed: readonly string[],
  timelinesOf: (roomId: string) => Timeline[],
): Promise<void> {
  const ids = new Map<string, string[]>()
  for (const [roomId = '', id = ''] of changed.map((key) => key.split('/'))) {
    ids.set(roomId, [...(ids.get(roomId) ?? []), id])
  }
  const reads = [...ids].flatMap(([roomId, those]) =>
    timelinesOf(roomId).map((timeline) => timeline.onMessagesChanged(those)),
  )
  for (const read of await Promise.allSettled(reads))
    if (read.status === 'rejected' && !isLasting(read.reason)) throw read.reason
}
