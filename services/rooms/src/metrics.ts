import type { RoomFact } from '@parley/contracts/internal'
import { counter, gauge, histogram, logger } from '@parley/telemetry'

const log = logger('rooms')

const deliverySeconds = histogram('parley.rooms.handover.duration', {
  description: 'Time until messaging had applied room facts for which a call waited, or until the call gave up',
  unit: 's',
  labels: ['parley.outcome'],
  buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 2, 4],
})
const deliveryFailures = counter('parley.rooms.handover.failures', {
  description: 'Failed requests to messaging that deliver facts or ask for the last one',
  unit: '{attempt}',
})
const factsMade = counter('parley.rooms.facts', {
  description: 'Changes of rooms, by kind of fact',
  unit: '{fact}',
  labels: ['parley.fact'],
})
const roomsWithLostFacts = counter('parley.rooms.fed_again', {
  description: 'Rooms for which messaging had lost applied facts, which were sent again',
  unit: '{room}',
})

export function recordDelivery(isApplied: boolean, seconds: number): void {
  deliverySeconds(seconds, { 'parley.outcome': isApplied ? 'applied' : 'timeout' })
}

/** Failures are frequent while messaging is unavailable, so they are only counted and logged at debug level. */
export function reportDeliveryFailure(roomId: string, error: unknown): void {
  deliveryFailures(1)
  log.debug({ roomId, err: error }, 'a request to messaging about facts of a room failed')
}

export function countFacts(facts: readonly RoomFact[]): void {
  for (const { fact } of facts) factsMade(1, { 'parley.fact': fact.case ?? 'none' })
}

export function reportLostFacts(roomId: string, held: bigint, version: bigint): void {
  roomsWithLostFacts(1)
  log.warn({ roomId, held: String(held), version: String(version) }, 'messaging had lost facts of a room')
}

export function reportFactsRebased(roomId: string, held: bigint, facts: number): void {
  log.warn(
    { roomId, held: String(held), facts },
    'messaging has a fact that the database of rooms has lost; later facts get versions above it',
  )
}

const leftBehind = gauge('parley.rooms.left_behind', {
  description: 'Rooms with facts that messaging has not applied in time, counted up to 100',
  unit: '{room}',
})
export const gaugeLeftBehind = (read: () => number): Disposable => leftBehind(read)

export function reportRetry(task: string, error: unknown): void {
  log.warn({ task, err: error }, 'a task failed; retrying')
}

export const logFirstGroupCreated = (groupId: string): void =>
  log.info({ groupId }, 'created the first group with its rooms')
export const logPeopleCopied = (people: number): void => log.info({ people }, 'copied people from accounts')
