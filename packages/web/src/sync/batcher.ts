import { isPermanent, retryMs } from './failures.ts'

/**
 * Collects keys for `delayMs` and handles them in one call. One call runs at a time; keys that arrive during a call are
 * handled in the next. The keys of a failed call are retried, unless a retry would fail too.
 */
export function createBatcher<K extends string>(
  delayMs: number,
  handle: (keys: K[]) => Promise<void>,
): (key: K) => void {
  let waiting = new Set<K>()
  let running = false
  const run = async () => {
    let pauseMs = delayMs
    while (waiting.size > 0) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      const keys = [...waiting]
      waiting = new Set()
      pauseMs = delayMs
      try {
        await handle(keys)
      } catch (thrown) {
        if (isPermanent(thrown)) continue
        for (const key of keys) waiting.add(key)
        pauseMs = retryMs
      }
    }
    running = false
  }
  return (key) => {
    waiting.add(key)
    if (running) return
    running = true
    void run()
  }
}
