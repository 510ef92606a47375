import { randomUUID } from 'node:crypto'
import { isMessageMissing, isStreamMissing, jetStream } from '../stream/api.ts'
import type { Bus } from '@parley/rpc'
import { redeclareStreams } from '../stream/declare.ts'
import { holdsEvent } from '../stream/place.ts'
import { durableName, eventStream } from '../subjects.ts'
import type { Asks, Verb } from './asks.ts'
import * as checks from './checks.ts'
import { Refusal } from './checks.ts'
import { lagsOfDurables, lastAcknowledged, makeDurable, placesOfDurables } from './durables.ts'
import { countOnStream, removeSome } from './erase.ts'
import { makeReader } from './readers.ts'
import type { Recoveries } from './recoveries.ts'
import type { Restorer } from './restorer.ts'

/** The asking deployable, and what the keeper needs to answer. */
type Asked = { bus: Bus; restorer: Restorer; recoveries: Recoveries; asker: string }

/** The only deployable that may have events removed from the stream, since it deletes accounts. */
const mayErase = 'accounts'
const mostSubjects = 64

/** Handler of each request. Throws a Refusal for an invalid request. */
export const answers: {
  [V in Verb]: (asked: Asked, ask: Record<string, unknown>) => Promise<Asks[V]['answer']>
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

  place: async ({ bus }, ask) => {
    const seq = checks.sequence(ask, 'seq')
    const eventId = checks.text(ask, 'eventId', checks.eventIdForm)
    return { there: await isThere(bus, { seq, eventId, expired: ask.expired === true }) }
  },

  reader: async ({ bus, asker }, ask) => {
    await makeReader(bus, asker, {
      id: checks.text(ask, 'id', checks.readerForm),
      subject: checks.text(ask, 'subject', checks.filterForm),
      startSeq: checks.sequence(ask, 'startSeq'),
    })
    return {}
  },

  durable: async ({ bus, asker }, ask) => {
    const subject = checks.text(ask, 'subject', checks.filterForm)
    await makeDurable(bus, ownDurable(asker, ask), { asker, subject, anew: ask.anew === true })
    return {}
  },

  lags: async ({ bus, asker }) => ({ messages: await lagsOfDurables(bus, durableName(asker, '')) }),

  acknowledged: async ({ bus, asker }, ask) => ({ eventIds: await lastAcknowledged(bus, ownDurable(asker, ask)) }),

  restore: async ({ bus, asker, restorer }, ask) => {
    const place = { seq: checks.sequence(ask, 'seq'), eventId: checks.text(ask, 'eventId', checks.eventIdForm) }
    if (await isThere(bus, { ...place, expired: false })) throw new Refusal('the stream still holds that event')
    // Earlier releases do not say when: then it may have been after the last recovery.
    await restorer.restore(asker, ask.storedMsAgo === undefined ? 0 : checks.amount(ask, 'storedMsAgo'))
    return {}
  },

  passed: async ({ bus, asker, recoveries }, ask) => {
    const lost = checks.amount(ask, 'lost')
    // Earlier releases name none.
    const report = ask.report === undefined ? randomUUID() : checks.text(ask, 'report', checks.reportForm)
    if (lost > 0) await recoveries.addLost(lost, `${asker}-${report}`)
    return await placesOfDurables(bus)
  },

  erase: async ({ bus, asker }, { subjects, remove }) => {
    if (asker !== mayErase) throw new Refusal(`only ${mayErase} may`)
    const isSubject = (one: unknown): one is string => typeof one === 'string' && checks.userSubjectForm.test(one)
    if (!Array.isArray(subjects) || subjects.length > mostSubjects || !subjects.every(isSubject))
      throw new Refusal(`these are not up to ${mostSubjects} subjects of a user's events`)
    const found = await countOnStream(bus, subjects)
    const removed = remove === true && found > 0 ? await removeSome(bus, subjects) : 0
    return { found, left: Math.max(0, found - removed) }
  },
}

const ownDurable = (asker: string, ask: Record<string, unknown>): string =>
  durableName(asker, checks.text(ask, 'durable', checks.durableForm))

async function isThere(bus: Bus, place: Asks['place']['ask']): Promise<boolean> {
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
