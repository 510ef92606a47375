const latestMs = 500

/** Runs a function when the page is idle, after half a second at the latest. */
export function whenIdle(doing: () => void): void {
  // Safari has no `requestIdleCallback`.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(doing, { timeout: latestMs })
  else setTimeout(doing, latestMs / 2)
}
