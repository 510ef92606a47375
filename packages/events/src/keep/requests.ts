import { ErrorCode, NatsError, type Msg } from 'nats'
import type { Bus } from '@parley/rpc'
import { keeperSubject } from '../subjects.ts'

/** Short, because NATS does not report a missing keeper. */
const timeoutMs = 1500
/** Processes start in any order, so a missing keeper is logged only after this time. */
export const keeperStartupMs = 10_000
const longTimeoutMs = 10_000
const firstTimeoutMs = 100
const slowVerbs: ReadonlySet<Verb> = new Set(['restore', 'erase'])
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export type KeeperRequests = {
  /** Creates the stream if it is missing; returns its last sequence. */
  state: { request: Record<string, never>; answer: { lastSeq: number } }
  /**
   * Whether this event is still stored at this sequence. With `expired`, the stream may have dropped the event by age;
   * `there` then says whether the stream has reached the sequence.
   */
  place: { request: { seq: number; eventId: string; expired: boolean }; answer: { there: boolean } }
  /**
   * Sends the messages under a filter to `readerSubject` of this id, beginning at `startSeq`, or at the time `startMs`
   * (milliseconds since 1970). Ends when nobody listens there. `pending`: number of messages already stored. Earlier
   * releases know neither `startMs` nor `pending`.
   */
  reader: { request: ReaderRequest; answer: { pending?: number } }
  /** Creates a durable unless it exists. `anew`: recreates it, starting at the first event. */
  durable: { request: { durable: string; subject: string; anew: boolean }; answer: Record<string, never> }
  /** Counts the unacknowledged messages of each durable of the caller, including undelivered ones. */
  lags: { request: Record<string, never>; answer: { messages: Record<string, number> } }
  /** Event ids of the last message up to which a durable has acknowledged everything; none if unknown. */
  acknowledged: { request: { durable: string }; answer: { eventIds: string[] } }
  /**
   * Recreates durables after the stream lost the event at a sequence; `storedMsAgo` is its age. Runs once per loss.
   * Callers that report too often are refused.
   */
  restore: { request: { seq: number; eventId: string; storedMsAgo: number }; answer: Record<string, never> }
  /**
   * Returns each filter for which the stream has a durable, with the sequence up to which all its durables have
   * acknowledged everything, and the first sequence on the stream. `lost`: entries that left the stream unacknowledged
   * since the caller's last report. A repeated `report` counts once.
   */
  passed: {
    request: { lost: number; report?: string }
    answer: { firstSeq: number; places: { subject: string; seq: number }[] }
  }
  /** Counts the messages under subjects and, with `remove`, deletes some of them; `left` is the number that remains. */
  erase: { request: { subjects: string[]; remove: boolean }; answer: { found: number; left: number } }
}

export type ReaderRequest = { id: string; subject: string; startSeq: number; startMs?: number }

export type Verb = keyof KeeperRequests

export type Reply = { answer: unknown } | { refusal: string }

/**
 * Asks the keeper of the stream, which runs in admin. Rejects if the keeper refuses the request or does not answer in
 * time.
 */
export async function requestKeeper<V extends Verb>(
  bus: Bus,
  verb: V,
  request: KeeperRequests[V]['request'],
  requester = bus.name,
): Promise<KeeperRequests[V]['answer']> {
  const data = encoder.encode(JSON.stringify(request))
  const timeout = slowVerbs.has(verb) ? longTimeoutMs : timeoutMs
  const send = (ms: number) => bus.nc.request(keeperSubject(requester, verb), data, { timeout: ms })
  const message = await (isRepeatable(verb, request) ? sendRepeatedly(send, timeout) : send(timeout))
  const reply = JSON.parse(decoder.decode(message.data)) as Reply
  if ('refusal' in reply) throw new Error(`the keeper of the stream refused ${verb}: ${reply.refusal}`)
  return reply.answer as KeeperRequests[V]['answer']
}

function isRepeatable<V extends Verb>(verb: V, request: KeeperRequests[V]['request']): boolean {
  return verb === 'state' || verb === 'place' || verb === 'reader' || ('anew' in request && !request.anew)
}

/**
 * Repeats a request with growing timeouts: the keeper may start after its callers, and NATS does not report its
 * absence.
 */
async function sendRepeatedly(send: (ms: number) => Promise<Msg>, timeoutMs: number): Promise<Msg> {
  let remainingMs = timeoutMs
  for (let waitMs = firstTimeoutMs; waitMs < remainingMs; waitMs *= 2) {
    try {
      return await send(waitMs)
    } catch (error) {
      if (!isTimeout(error)) throw error
      remainingMs -= waitMs
    }
  }
  return await send(remainingMs)
}

const isTimeout = (error: unknown): boolean => error instanceof NatsError && error.code === String(ErrorCode.Timeout)
