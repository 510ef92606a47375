import { isLasting } from './failures.ts'
import type { Timeline } from './timeline.ts'

/** What a message that changed is gathered by. */
export const changedMessage = (roomId: string, messageId: string): string => `${roomId}/${messageId}`

/** Reads changed messages anew wherever they are shown. Fails where trying again may help. */
export async function readChanged(
  changed: readonly string[],
  timelinesOf: (roomId: string) => Timeline[],
): Promise<void> {
  const ids = new Map<string, string[]>()
  for (const [roomId = '', id = ''] of changed.map((key) => key.split('/'))) {
    ids.set(roomId, [...(ids.get(roomId) ?? []), id])
  }
  const reads = [...ids].flatMap(([roomId, those]) =>
    timelinesOf(roomId).map((timeline) => timeline.messagesChanged(those)),
  )
  for (const read of await Promise.allSettled(reads))
    if (read.status === 'rejected' && !isLasting(read.reason)) throw read.reason
}
