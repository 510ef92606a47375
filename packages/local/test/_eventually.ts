import { eventually as wait } from '@parley/tooling/eventually'

/** Waits longer than other tests do: a fleet takes minutes to start on a busy machine. */
export const eventually = <T>(check: () => T | Promise<T>) => wait(check, { timeoutMs: 150_000 })
