import { randomUUID } from 'node:crypto'
import { isMessageMissing, isStreamMissing, jetStream } from '../stream/api.ts'
import type { Bus } from '@parley/rpc'
import { redeclareStreams } from '../stream/declare.ts'
import { holdsEvent } from '../stream/place.ts'
import { durableName, eventStream } from '../subjects.ts'
import type { KeeperRequests, Verb } from './requests.ts'
import * as checks from './checks.ts'
import { Refusal } from './checks.ts'
import { lagsOfDurables, lastAcknowledged, makeDurable, placesOfDurables } from './durables.ts'
import { countOnStream, removeSome } from './erase.ts'
import { makeReader } from './readers.ts'
import type { Recoveries } from './recoveries.ts'
import type { Restorer } from './restorer.ts'

/** The requesting deployable, and what the keeper needs to answer. */
type RequestContext = { bus: Bus; restorer: Restorer; recoveries: Recoveries; requester: string }

/** The only deployable that may have events removed from the stream, since it deletes accounts. */
const mayErase = 'accounts'
const maxSubjects = 64

/** Handler of each request. Throws a Refusal for an invalid request. */
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
    return { there: await isThere(bus, { seq, eventId, expired: request.expired === true }) }
  },

  reader: async ({ bus, requester }, request) => {
    const pending = await makeReader(bus, requester, {
      id: checks.text(request, 'id', checks.readerForm),
      subject: checks.text(request, 'subject', checks.filterForm),
      startSeq: checks.sequence(request, 'startSeq'),
      ...(request.startMs !== undefined && { startMs: checks.amount(request, 'startMs') }),
    })
    return { pending }
  },

  durable: async ({ bus, requester }, request) => {
    const subject = checks.text(request, 'subject', checks.filterForm)
    await makeDurable(bus, ownDurable(requester, request), { requester, subject, anew: request.anew === true })
    return {}
  },

  lags: async ({ bus, requester }) => ({ messages: await lagsOfDurables(bus, durableName(requester, '')) }),

  acknowledged: async ({ bus, requester }, request) => ({
    eventIds: await lastAcknowledged(bus, ownDurable(requester, request)),
  }),

  restore: async ({ bus, requester, restorer }, request) => {
    const place = { seq: checks.sequence(request, 'seq'), eventId: checks.text(request, 'eventId', checks.eventIdForm) }
    if (await isThere(bus, { ...place, expired: false })) throw new Refusal('the stream still holds that event')
    // Earlier releases do not send the time: then the event may have been stored after the last recovery.
    await restorer.restore(requester, request.storedMsAgo === undefined ? 0 : checks.amount(request, 'storedMsAgo'))
    return {}
  },

  passed: async ({ bus, requester, recoveries }, request) => {
    const lost = checks.amount(request, 'lost')
    // Earlier releases do not send a report id.
    const report = request.report === undefined ? randomUUID() : checks.text(request, 'report', checks.reportForm)
    if (lost > 0) await recoveries.addLost(lost, `${requester}-${report}`)
    return await placesOfDurables(bus)
  },

  erase: async ({ bus, requester }, { subjects, remove }) => {
    if (requester !== mayErase) throw new Refusal(`only ${mayErase} may`)
    const isSubject = (one: unknown): one is string => typeof one === 'string' && checks.userSubjectForm.test(one)
    if (!Array.isArray(subjects) || subjects.length > maxSubjects || !subjects.every(isSubject))
      throw new Refusal(`these are not up to ${maxSubjects} subjects of a user's events`)
    const found = await countOnStream(bus, subjects)
    const removed = remove === true && found > 0 ? await removeSome(bus, subjects) : 0
    return { found, left: Math.max(0, found - removed) }
  },
}

const ownDurable = (requester: string, request: Record<string, unknown>): string =>
  durableName(requester, checks.text(request, 'durable', checks.durableForm))

async function isThere(bus: Bus, place: KeeperRequests['place']['request']): Promise<boolean> {
  const { manager } = await jetStream(bus)
  try {
    if (place.expired) return (await manager.streams.info(eventStream)).state.last_seq >= place.seq
    const message = await manager.streams.getMessage(eventStream, { seq: place.seq })
    return holdsEvent(message.data, place.eventId)
  } catch (error) {
    if (isMessageMissing(error) || isStreamMissing(error)) return false
    throw error
  }
}
