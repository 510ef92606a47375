/**
 * Gathers keys for `delayMs` and hands them over at once. One call runs at a time; what comes meanwhile is gathered for the next.
 * Failures are the callee's to handle.
 */
export function gathered(delayMs: number, handle: (keys: string[]) => Promise<void>): (key: string) => void {
  let waiting = new Set<string>()
  let running = false
  const run = async () => {
    try {
      while (waiting.size > 0) {
        await new Promise((resolve) => setTimeout(resolve, delayMs))
        const keys = [...waiting]
        waiting = new Set()
        await handle(keys)
      }
    } finally {
      running = false
    }
  }
  return (key) => {
    waiting.add(key)
    if (running) return
    running = true
    void run()
  }
}
