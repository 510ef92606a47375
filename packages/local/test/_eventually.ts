import { setTimeout as sleep } from 'node:timers/promises'

/** Runs the check until it neither throws nor answers false; the last failure is thrown after 150 s. */
export async function eventually<T>(check: () => T | Promise<T>): Promise<Exclude<T, false>> {
  for (const until = Date.now() + 150_000; ; await sleep(20)) {
    try {
      const answer = await check()
      if (answer !== false) return answer as Exclude<T, false>
      if (Date.now() > until) throw new Error('still false')
    } catch (error) {
      if (Date.now() > until) throw error
    }
  }
}
