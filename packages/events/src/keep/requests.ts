import { ErrorCode, NatsError, type Msg } from 'nats'
import type { Bus } from '@parley/rpc'
import { keeperSubject } from '../subjects.ts'

/** NATS does not report a missing keeper. */
const timeoutMs = 1500
/** Processes start in any order, so a missing keeper is logged only after this time. */
export const keeperStartsMs = 10_000
/** Timeout for requests that may take longer. */
const longTimeoutMs = 10_000
/** Delay before a repeatable request is sent the second time. */
const firstWaitMs = 100
const takesLong: ReadonlySet<Verb> = new Set(['restore', 'erase'])
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Requests to the keeper of the stream and their responses. The subject identifies the caller. */
export type KeeperRequests = {
  /** Creates the stream if it is missing; returns its last sequence. */
  state: { request: Record<string, never>; answer: { lastSeq: number } }
  /** Whether an event is still stored at this sequence of the stream; `expired`: it may have been dropped by age. */
  place: { request: { seq: number; eventId: string; expired: boolean }; answer: { there: boolean } }
  /**
   * Sends the events under a filter to `readerSubject` of this id, until nobody listens there: from a sequence on, or,
   * with `startMs` (milliseconds since 1970), from what was stored at that time on. `pending` messages are already
   * stored; earlier releases know neither `startMs` nor `pending`.
   */
  reader: { request: ReaderRequest; answer: { pending?: number } }
  /** Creates a durable consumer unless it exists; `anew`: recreates it at the first event. */
  durable: { request: { durable: string; subject: string; anew: boolean }; answer: Record<string, never> }
  /** Unacknowledged messages of each durable consumer of the caller, including undelivered ones. */
  lags: { request: Record<string, never>; answer: { messages: Record<string, number> } }
  /** Event ids of the last message up to which a durable consumer has acknowledged everything; none if unknown. */
  acknowledged: { request: { durable: string }; answer: { eventIds: string[] } }
  /**
   * Recreates durables after the stream lost the event at a sequence; `storedMsAgo` is its age. Runs once per loss,
   * however many callers report it. Refused to callers that report too often.
   */
  restore: { request: { seq: number; eventId: string; storedMsAgo: number }; answer: Record<string, never> }
  /**
   * Progress of the durables: for each filter the sequence up to which everything is acknowledged, and the first
   * sequence on the stream. `lost`: entries that left the stream unacknowledged, found by the caller since its last
   * report. `report` identifies the report, so that a repeated one counts once.
   */
  passed: {
    request: { lost: number; report?: string }
    answer: { firstSeq: number; places: { subject: string; seq: number }[] }
  }
  /** Counts the messages under subjects and, with `remove`, deletes some of them; `left` is the number that remains. */
  erase: { request: { subjects: string[]; remove: boolean }; answer: { found: number; left: number } }
}

/** The subject that a reader reads, and the place where it begins. */
export type ReaderRequest = { id: string; subject: string; startSeq: number; startMs?: number }

/** Name of a request. */
export type Verb = keyof KeeperRequests

/** The keeper's encoded response. */
export type Reply = { answer: unknown } | { refusal: string }

/**
 * Sends a deployable's request to the keeper of the stream, which runs in admin. Rejects with the keeper's reason when
 * it refuses, and when it does not answer in time.
 */
export async function requestKeeper<V extends Verb>(
  bus: Bus,
  verb: V,
  request: KeeperRequests[V]['request'],
  requester = bus.name,
): Promise<KeeperRequests[V]['answer']> {
  const data = encoder.encode(JSON.stringify(request))
  const timeout = takesLong.has(verb) ? longTimeoutMs : timeoutMs
  const send = (ms: number) => bus.nc.request(keeperSubject(requester, verb), data, { timeout: ms })
  const message = await (isRepeatable(verb, request) ? repeated(send, timeout) : send(timeout))
  const reply = JSON.parse(decoder.decode(message.data)) as Reply
  if ('refusal' in reply) throw new Error(`the keeper of the stream refused ${verb}: ${reply.refusal}`)
  return reply.answer as KeeperRequests[V]['answer']
}

/** Whether a request is sent when services start, so that answering it twice is harmless. */
function isRepeatable<V extends Verb>(verb: V, request: KeeperRequests[V]['request']): boolean {
  return verb === 'state' || verb === 'place' || verb === 'reader' || ('anew' in request && !request.anew)
}

/** Repeats a request after growing delays: the keeper may start after its callers, and NATS does not report that. */
async function repeated(send: (ms: number) => Promise<Msg>, timeoutMs: number): Promise<Msg> {
  let leftMs = timeoutMs
  for (let waitMs = firstWaitMs; waitMs < leftMs; waitMs *= 2) {
    try {
      return await send(waitMs)
    } catch (error) {
      if (!isTimeout(error)) throw error
      leftMs -= waitMs
    }
  }
  return await send(leftMs)
}

const isTimeout = (error: unknown): boolean => error instanceof NatsError && error.code === String(ErrorCode.Timeout)
