import type { Bus } from '@parley/rpc'
import { eventStream } from '../subjects.ts'
import { isStreamMissing, jetStream } from './api.ts'

/** How many events lie on the stream under these subjects. */
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
 * Takes the events of a subject off the stream. Whoever follows the stream remembers the newest event it knows; one that
 * may be remembered must not be purged, so wait until newer ones of the same aggregate have been there for a while.
 */
export async function purgeFromStream(bus: Bus, subject: string): Promise<void> {
  const { manager } = await jetStream(bus)
  await manager.streams.purge(eventStream, { filter: subject })
}
