import type { Bus } from '@parley/rpc'
import { eventStream } from '../subjects.ts'
import { isMessageMissing, isStreamMissing, jetStream } from './api.ts'

/** How many messages lie on the stream under these subjects. */
export async function countOnStream(bus: Bus, subjects: readonly string[]): Promise<number> {
  const { manager } = await jetStream(bus)
  const counts = await Promise.all(
    subjects.map(async (subject) => {
      try {
        const { state } = await manager.streams.info(eventStream, { subjects_filter: subject })
        return Object.values(state.subjects ?? {}).reduce((sum, messages) => sum + messages, 0)
      } catch (error) {
        if (isStreamMissing(error)) return 0
        throw error
      }
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * Takes the events of a subject off the stream, message by message, and overwrites their bytes in its files. Whoever
 * follows the stream remembers the newest event it knows; one that may be remembered must not be removed, so wait until
 * newer ones have been there for a while.
 */
export async function removeFromStream(bus: Bus, subject: string, signal: AbortSignal): Promise<void> {
  const { manager } = await jetStream(bus)
  // Forwards by sequence: servers of 2.9 lose the last one of a subject when it was deleted before.
  for (let seq = 1; ; seq++) {
    signal.throwIfAborted()
    const next = await nextOf(bus, subject, seq)
    if (next === undefined) return
    seq = next
    try {
      await manager.streams.deleteMessage(eventStream, seq)
    } catch (error) {
      if (!isMessageMissing(error) && !isStreamMissing(error)) throw error
    }
  }
}

/** Where the next message of a subject lies, from a sequence on; undefined when none is left. */
async function nextOf(bus: Bus, subject: string, seq: number): Promise<number | undefined> {
  const query = JSON.stringify({ seq, next_by_subj: subject })
  const { headers } = await bus.nc.request(`$JS.API.DIRECT.GET.${eventStream}`, query, { timeout: 5000 })
  if (headers?.code === 404) return undefined
  const found = Number(headers?.get('Nats-Sequence'))
  if (!(found >= seq)) throw new Error(`the stream does not say what it holds: ${headers?.description ?? 'no headers'}`)
  return found
}
