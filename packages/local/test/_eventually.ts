import { eventually as wait } from '@parley/tooling/eventually'

/** With a longer timeout than in other tests, because a fleet takes minutes to start on a busy machine. */
export const eventually = <T>(check: () => T | Promise<T>) => wait(check, { timeoutMs: 150_000 })
