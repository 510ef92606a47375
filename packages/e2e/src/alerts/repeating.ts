import { setTimeout as sleep } from 'node:timers/promises'

/** Does something again and again, with pauses, until disposed. It may fail, because something is broken. */
export function repeating(pauseMs: number, action: () => Promise<unknown>): AsyncDisposable {
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

/** Disposes of all of them together. */
export const allOf = (many: AsyncDisposable[]): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    await Promise.all(many.map((one) => one[Symbol.asyncDispose]()))
  },
})
