import type { JetStreamManager, StoredMsg } from 'nats'
import { eventStream } from '../subjects.ts'
import { isMessageMissing } from '../stream/api.ts'

export async function findNewestUpTo(
  manager: JetStreamManager,
  filter: string,
  seq: number,
): Promise<StoredMsg | undefined> {
  const newest = await find(manager, { last_by_subj: filter })
  if (newest === undefined || newest.seq <= seq) return newest
  // The server can only search forwards. A search that starts after the wanted message finds none up to `seq`. The
  // start moves back in growing steps, since the message is usually near; then the last step is bisected.
  const next = async (from: number): Promise<StoredMsg | undefined> => {
    const query = { seq: from, next_by_subj: filter }
    const message = await find(manager, query)
    return message !== undefined && message.seq <= seq ? message : undefined
  }
  let [from, to] = [seq, seq]
  let found = await next(from)
  for (let step = 1; found === undefined && from > 1; step *= 16) {
    to = from - 1
    from = Math.max(from - step, 1)
    found = await next(from)
  }
  for (from = (found?.seq ?? to) + 1; from <= to;) {
    const middle = Math.floor((from + to) / 2)
    const message = await next(middle)
    if (message === undefined) to = middle - 1
    else {
      found = message
      from = message.seq + 1
    }
  }
  return found
}

async function find(
  manager: JetStreamManager,
  query: Parameters<JetStreamManager['streams']['getMessage']>[1],
): Promise<StoredMsg | undefined> {
  try {
    return await manager.streams.getMessage(eventStream, query)
  } catch (error) {
    if (isMessageMissing(error)) return undefined
    throw error
  }
}
