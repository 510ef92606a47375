import { setTimeout as sleep } from 'node:timers/promises'

/** Ignores errors of the action: the tests break services on purpose. */
export function repeatUntilDisposed(pauseMs: number, action: () => Promise<unknown>): AsyncDisposable {
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await action().catch(() => undefined)
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}

/** Disposes of all `disposables` concurrently. */
export const disposeTogether = (disposables: AsyncDisposable[]): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    await Promise.all(disposables.map((one) => one[Symbol.asyncDispose]()))
  },
})
