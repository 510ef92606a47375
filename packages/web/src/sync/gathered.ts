/**
 * Gathers keys for `delayMs` and hands them over at once. One call runs at a time; what comes meanwhile waits for the next.
 * Failures are the callee's to handle.
 */
export function gathered(delayMs: number, handle: (keys: string[]) => Promise<void>): (key: string) => void {
  let waiting = new Set<string>()
  let running = false
  const run = async () => {
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    while (waiting.size > 0) {
      const keys = [...waiting]
      waiting = new Set()
      await handle(keys)
    }
  }
  return (key) => {
    waiting.add(key)
    if (running) return
    running = true
    void run().finally(() => (running = false))
  }
}
