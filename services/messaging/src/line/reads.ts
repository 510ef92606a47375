import { Turnstile } from '@parley/runtime'
import { tooManyReads } from '../errors.ts'

/** What writes have for themselves, of the connections of a process. */
const keptForWrites = 0.3

const perCaller = { atOncePerAsker: 2, mostWaitingPerAsker: 48 }

/** Turns of those who read pages, where a process has so many connections to the database. */
export const openReads = (connections: number): Turnstile =>
  new Turnstile({
    ...perCaller,
    atOnce: Math.max(1, Math.floor(connections * (1 - keptForWrites))),
    mostWaiting: 1_000,
    patienceMs: 2_000,
    refusal: tooManyReads,
  })
