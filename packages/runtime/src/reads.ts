import { FairSemaphore } from './fair-semaphore.ts'

/** The share of a process's database connections that reads leave to writes. */
const keptForWrites = 0.3

const perCaller = { atOncePerAsker: 2, mostWaitingPerAsker: 48 }

/**
 * Limits how many long lists are read at once, for one caller and for all of them. `connections`: what the process may open
 * to its database; one is used at a time by whoever passes.
 */
export const openReads = ({ connections, refusal }: { connections: number; refusal: () => Error }): FairSemaphore =>
  new FairSemaphore({
    ...perCaller,
    atOnce: Math.max(1, Math.floor(connections * (1 - keptForWrites))),
    mostWaiting: 1_000,
    patienceMs: 2_000,
    refusal,
  })
