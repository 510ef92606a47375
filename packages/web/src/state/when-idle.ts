const latestMs = 500

/** Runs a function when the page is idle, after half a second at the latest. */
export function whenIdle(task: () => void): void {
  // Safari has no `requestIdleCallback`.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(task, { timeout: latestMs })
  else setTimeout(task, latestMs / 2)
}
