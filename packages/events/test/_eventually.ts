import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until `check` neither throws nor answers false; after `timeoutMs` throws its last failure. */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 60_000): Promise<T> {
  const until = Date.now() + timeoutMs
  for (;;) {
    try {
      const answer = await check()
      if (answer !== false) return answer
      if (Date.now() > until) throw new Error(`still false after ${timeoutMs} ms`)
    } catch (error) {
      if (Date.now() > until) throw error
    }
    await sleep(20)
  }
}
