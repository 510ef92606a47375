import { eventually as wait } from '@parley/tooling/eventually'

/** A fleet takes minutes to start on a busy machine. */
export const eventually = <T>(check: () => T | Promise<T>) => wait(check, { timeoutMs: 150_000 })
