import { setTimeout as sleep } from 'node:timers/promises'

const shortestPauseMs = 20
const longestPauseMs = 100

/**
 * Runs `check` again and again until it neither throws nor answers false, and gives its answer. After `timeoutMs` the
 * last failure is thrown. The way to wait in tests. What takes long is looked at less often.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: { timeoutMs?: number } = {},
): Promise<Exclude<T, false>> {
  const { timeoutMs = 30_000 } = options
  const since = Date.now()
  const until = since + timeoutMs
  for (;;) {
    try {
      const answer = await check()
      if (answer !== false) return answer as Exclude<T, false>
      if (Date.now() > until) throw new Error(`still false after ${timeoutMs} ms`)
    } catch (error) {
      if (Date.now() > until) throw error
    }
    await sleep(Math.min(Math.max((Date.now() - since) / 10, shortestPauseMs), longestPauseMs))
  }
}
