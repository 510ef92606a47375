import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until `check` no longer throws; after 30 s throws its last failure. */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  const until = Date.now() + 30_000
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > until) throw error
    }
    await sleep(20)
  }
}
