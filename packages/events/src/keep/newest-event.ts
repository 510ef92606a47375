import type { Event } from '@parley/contracts/internal'
import type { Bus } from '@parley/rpc'
import { isMessageMissing, jetStream } from '../stream/api.ts'
import { decodeBatch } from '../stream/decode.ts'
import { eventStream } from '../subjects.ts'

/** Undefined if there is none. Only the keeper may call it. */
export async function readNewestEvent(bus: Bus, subject: string): Promise<Event | undefined> {
  const { manager } = await jetStream(bus)
  try {
    return decodeBatch((await manager.streams.getMessage(eventStream, { last_by_subj: subject })).data).at(-1)
  } catch (error) {
    if (isMessageMissing(error)) return undefined
    throw error
  }
}
