import { setTimeout as sleep } from 'node:timers/promises'

const shortestPauseMs = 20
const longestPauseMs = 100

/**
 * Repeats `check` until it neither throws nor returns false, and returns its result. After `timeoutMs` the last
 * failure is thrown. The interval between checks grows.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  options: { timeoutMs?: number } = {},
): Promise<Exclude<T, false>> {
  const { timeoutMs = 60_000 } = options
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
