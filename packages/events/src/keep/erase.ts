import type { Bus } from '@parley/rpc'
import { isMessageMissing, isStreamMissing, jetStream } from '../stream/api.ts'
import { eventStream } from '../subjects.ts'

/** Few enough that a request is answered before the caller's timeout. */
const maxAtOnce = 200

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
 * Removes up to `maxAtOnce` messages under these subjects from the stream and overwrites their bytes in its files.
 * Returns their number.
 */
export async function removeUpToLimit(bus: Bus, subjects: readonly string[]): Promise<number> {
  const { manager } = await jetStream(bus)
  let removed = 0
  for (const subject of subjects) {
    // Searches forwards, because NATS 2.9 cannot find the last message of a subject after one was deleted.
    for (let seq = 1; removed < maxAtOnce; seq++) {
      const next = await findNext(bus, subject, seq)
      if (next === undefined) break
      seq = next
      try {
        await manager.streams.deleteMessage(eventStream, seq)
        removed++
      } catch (error) {
        if (!isMessageMissing(error) && !isStreamMissing(error)) throw error
      }
    }
  }
  return removed
}

async function findNext(bus: Bus, subject: string, seq: number): Promise<number | undefined> {
  const query = JSON.stringify({ seq, next_by_subj: subject })
  const { headers } = await bus.nc.request(`$JS.API.DIRECT.GET.${eventStream}`, query, { timeout: 5000 })
  if (headers?.code === 404) return undefined
  const found = Number(headers?.get('Nats-Sequence'))
  if (!(found >= seq))
    throw new Error(`the stream did not return its next message: ${headers?.description ?? 'no headers'}`)
  return found
}
