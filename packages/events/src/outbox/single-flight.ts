/**
 * Runs `work`, never concurrently. Calls during a run share the next run, so that every call gets a run that starts
 * after it. All calls that share a run get its rejection.
 */
export function singleFlight(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = (): Promise<void> => {
    const run = work().finally(() => {
      if (running === run) running = undefined
    })
    return (running = run)
  }
  return () => {
    if (running === undefined) return start()
    next ??= running.then(noop, noop).then(() => {
      next = undefined
      return start()
    })
    return next
  }
}

const noop = (): void => undefined
