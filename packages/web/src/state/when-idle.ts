const latestMs = 500

/** Does something once the page has nothing more urgent to do, half a second later at the latest. */
export function whenIdle(doing: () => void): void {
  // Safari has no such callback.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(doing, { timeout: latestMs })
  else setTimeout(doing, latestMs / 2)
}
