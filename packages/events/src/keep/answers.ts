import { randomUUID } from 'node:crypto'
import { isMessageMissing, isStreamMissing, jetStream } from '../stream/api.ts'
import type { Bus } from '@parley/rpc'
import { redeclareStreams } from '../stream/declare.ts'
import { holdsEvent } from '../stream/position.ts'
import { durableName, eventStream } from '../subjects.ts'
import type { KeeperRequests, Verb } from './requests.ts'
import * as checks from './checks.ts'
import { Refusal } from './checks.ts'
import { readLagsOfDurables, readLastAcknowledged, createDurable, readProgress } from './durables.ts'
import { countOnStream, removeUpToLimit } from './erase.ts'
import { createReader } from './readers.ts'
import type { Recoveries } from './recoveries.ts'
import type { Restorer } from './restorer.ts'

type RequestContext = { bus: Bus; restorer: Restorer; recoveries: Recoveries; requester: string }

const erasingService = 'accounts'
const maxSubjects = 64

export const answers: {
  [V in Verb]: (context: RequestContext, request: Record<string, unknown>) => Promise<KeeperRequests[V]['answer']>
} = {
  state: async ({ bus }) => {
    const { manager } = await jetStream(bus)
    const info = () => manager.streams.info(eventStream)
    const { state } = await info().catch(async (error: unknown) => {
      if (!isStreamMissing(error)) throw error
      await redeclareStreams(bus)
      return await info()
    })
    return { lastSeq: state.last_seq }
  },

  place: async ({ bus }, request) => {
    const seq = checks.sequence(request, 'seq')
    const eventId = checks.text(request, 'eventId', checks.eventIdForm)
    return { there: await isThere(bus, { seq, eventId, mayHaveExpired: request.expired === true }) }
  },

  reader: async ({ bus, requester }, request) => {
    const pending = await createReader(bus, requester, {
      id: checks.text(request, 'id', checks.readerForm),
      subject: checks.text(request, 'subject', checks.filterForm),
      startSeq: checks.sequence(request, 'startSeq'),
      ...(request.startMs !== undefined && { startMs: checks.amount(request, 'startMs') }),
    })
    return { pending }
  },

  durable: async ({ bus, requester }, request) => {
    const subject = checks.text(request, 'subject', checks.filterForm)
    await createDurable(bus, ownDurable(requester, request), { requester, subject, anew: request.anew === true })
    return {}
  },

  lags: async ({ bus, requester }) => ({ messages: await readLagsOfDurables(bus, durableName(requester, '')) }),

  acknowledged: async ({ bus, requester }, request) => ({
    eventIds: await readLastAcknowledged(bus, ownDurable(requester, request)),
  }),

  restore: async ({ bus, requester, restorer }, request) => {
    const position = {
      seq: checks.sequence(request, 'seq'),
      eventId: checks.text(request, 'eventId', checks.eventIdForm),
    }
    if (await isThere(bus, { ...position, mayHaveExpired: false }))
      throw new Refusal('the stream still holds that event')
    // Earlier releases do not send the age. The event is then assumed to have been stored after the last recovery.
    await restorer.restore(requester, request.storedMsAgo === undefined ? 0 : checks.amount(request, 'storedMsAgo'))
    return {}
  },

  passed: async ({ bus, requester, recoveries }, request) => {
    const lost = checks.amount(request, 'lost')
    const report = request.report === undefined ? randomUUID() : checks.text(request, 'report', checks.reportForm)
    if (lost > 0) await recoveries.addLost(lost, `${requester}-${report}`)
    return await readProgress(bus)
  },

  erase: async ({ bus, requester }, { subjects, remove }) => {
    if (requester !== erasingService) throw new Refusal(`only ${erasingService} may erase events`)
    const isSubject = (one: unknown): one is string => typeof one === 'string' && checks.userSubjectForm.test(one)
    if (!Array.isArray(subjects) || subjects.length > maxSubjects || !subjects.every(isSubject))
      throw new Refusal(`subjects must be at most ${maxSubjects} subjects of a user's events`)
    const found = await countOnStream(bus, subjects)
    const removed = remove === true && found > 0 ? await removeUpToLimit(bus, subjects) : 0
    return { found, left: Math.max(0, found - removed) }
  },
}

const ownDurable = (requester: string, request: Record<string, unknown>): string =>
  durableName(requester, checks.text(request, 'durable', checks.durableForm))

async function isThere(
  bus: Bus,
  position: { seq: number; eventId: string; mayHaveExpired: boolean },
): Promise<boolean> {
  const { manager } = await jetStream(bus)
  try {
    if (position.mayHaveExpired) return (await manager.streams.info(eventStream)).state.last_seq >= position.seq
    const message = await manager.streams.getMessage(eventStream, { seq: position.seq })
    return holdsEvent(message.data, position.eventId)
  } catch (error) {
    if (isMessageMissing(error) || isStreamMissing(error)) return false
    throw error
  }
}
