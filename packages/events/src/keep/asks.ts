import type { Bus } from '@parley/rpc'
import { keeperSubject } from '../subjects.ts'

/** Nobody says that no keeper is there: who starts before one does asks again soon. */
const timeoutMs = 1500
/** Processes start in any order: only later is it worth a warning that no keeper answers. */
export const keeperStartsMs = 10_000
/** What may take the keeper longer. */
const longTimeoutMs = 10_000
const takesLong: ReadonlySet<Verb> = new Set(['restore', 'erase'])
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What may be asked of the keeper of the stream, and what it answers. Whose it is follows from the subject. */
export type Asks = {
  /** Makes the stream if it is missing and tells its newest sequence. */
  state: { ask: Record<string, never>; answer: { lastSeq: number } }
  /** Whether the stream is the one on which an event was stored at a sequence; `expired`: it may have left it by age. */
  place: { ask: { seq: number; eventId: string; expired: boolean }; answer: { there: boolean } }
  /** Sends the events under a filter, from a sequence on, to `readerSubject` of this id, until nobody listens there. */
  reader: { ask: { id: string; subject: string; startSeq: number }; answer: Record<string, never> }
  /** Makes a durable consumer unless it is there; `anew`: it begins at the first event again. */
  durable: { ask: { durable: string; subject: string; anew: boolean }; answer: Record<string, never> }
  /** How many messages each durable consumer of the asker has not acknowledged, those it never saw included. */
  lags: { ask: Record<string, never>; answer: { messages: Record<string, number> } }
  /** Ids of the events in the newest message below which a durable consumer acknowledged everything; none if unknown. */
  acknowledged: { ask: { durable: string }; answer: { eventIds: string[] } }
  /**
   * Makes durables anew after the stream lost the event of a place, which was stored so long ago; once for a loss, however
   * many ask. Refused to who asks too often.
   */
  restore: { ask: { seq: number; eventId: string; storedMsAgo: number }; answer: Record<string, never> }
  /**
   * How far durables have come: of each filter the sequence up to which all is acknowledged, and the first that the stream
   * still holds. `lost`: events that the asker has found since the last time to have left it before; `report` names that
   * number, so that it counts once however often it is told.
   */
  passed: {
    ask: { lost: number; report?: string }
    answer: { firstSeq: number; places: { subject: string; seq: number }[] }
  }
  /** Counts the messages under subjects and, with `remove`, takes some of them off the stream; `left` remain. */
  erase: { ask: { subjects: string[]; remove: boolean }; answer: { found: number; left: number } }
}

/** Name of something that may be asked. */
export type Verb = keyof Asks

/** The keeper's answer, as it travels. */
export type Reply = { answer: unknown } | { refusal: string }

/**
 * Asks the keeper of the stream, which runs in admin, on behalf of a deployable. Rejects when it refuses, which its message
 * explains, or does not answer in time.
 */
export async function askKeeper<V extends Verb>(
  bus: Bus,
  verb: V,
  ask: Asks[V]['ask'],
  asker = bus.name,
): Promise<Asks[V]['answer']> {
  const data = encoder.encode(JSON.stringify(ask))
  const timeout = takesLong.has(verb) ? longTimeoutMs : timeoutMs
  const message = await bus.nc.request(keeperSubject(asker, verb), data, { timeout })
  const reply = JSON.parse(decoder.decode(message.data)) as Reply
  if ('refusal' in reply) throw new Error(`the keeper of the stream refused ${verb}: ${reply.refusal}`)
  return reply.answer as Asks[V]['answer']
}
