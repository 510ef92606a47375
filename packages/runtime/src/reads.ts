import { FairSemaphore } from './fair-semaphore.ts'

const writeFraction = 0.3

const perCaller = { atOncePerCaller: 2, maxWaitingPerCaller: 48 }

/**
 * Limits concurrent reads of long lists, per caller and in total. `connections`: size of the database pool; each read
 * uses one connection.
 */
export const createReadSemaphore = ({
  connections,
  refusal,
}: {
  connections: number
  refusal: () => Error
}): FairSemaphore =>
  new FairSemaphore({
    ...perCaller,
    atOnce: Math.max(1, Math.floor(connections * (1 - writeFraction))),
    maxWaiting: 1_000,
    maxWaitMs: 2_000,
    refusal,
  })
