import { isPermanent } from './failures.ts'
import type { Timeline } from './timeline.ts'

export const changedMessageKey = (roomId: string, messageId: string): string => `${roomId}/${messageId}`

/** Reloads changed messages in all timelines of their rooms. Throws only failures that a retry may repair. */
export async function reloadChanged(
  changed: readonly string[],
  timelinesOf: (roomId: string) => Timeline[],
): Promise<void> {
  const ids = new Map<string, string[]>()
  for (const [roomId = '', id = ''] of changed.map((key) => key.split('/'))) {
    ids.set(roomId, [...(ids.get(roomId) ?? []), id])
  }
  const reads = [...ids].flatMap(([roomId, messageIds]) =>
    timelinesOf(roomId).map((timeline) => timeline.onMessagesChanged(messageIds)),
  )
  for (const read of await Promise.allSettled(reads))
    if (read.status === 'rejected' && !isPermanent(read.reason)) throw read.reason
}
