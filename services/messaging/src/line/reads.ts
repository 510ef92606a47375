import { Turnstile } from '@parley/runtime'
import { tooManyReads } from '../errors.ts'

/** The share of a process's database connections that reads leave to writes. */
const keptForWrites = 0.3

const perCaller = { atOncePerAsker: 2, mostWaitingPerAsker: 48 }

/** Limits how many pages are read at once. `connections`: what the process may open to its database. */
export const openReads = (connections: number): Turnstile =>
  new Turnstile({
    ...perCaller,
    atOnce: Math.max(1, Math.floor(connections * (1 - keptForWrites))),
    mostWaiting: 1_000,
    patienceMs: 2_000,
    refusal: tooManyReads,
  })
