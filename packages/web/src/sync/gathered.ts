import { isLasting, retryMs } from './failures.ts'

/**
 * Gathers keys for `delayMs` and hands them over at once. One call runs at a time; what comes meanwhile is gathered for the next.
 * The keys of a call that fails are handed over again in a while, unless that would fail in the same way.
 */
export function gathered<K extends string>(delayMs: number, handle: (keys: K[]) => Promise<void>): (key: K) => void {
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
        if (isLasting(thrown)) continue
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
