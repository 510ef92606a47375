import { Code, ConnectError } from '@connectrpc/connect'

/** A fetch that throws `unavailable` where the platform reports only that a request failed. */
export function reportUnreachable(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init)
    } catch (error) {
      // Aborted by the caller or at the deadline.
      if (init?.signal?.aborted || !(error instanceof Error) || error.name !== 'TypeError') throw error
      throw new ConnectError('the server cannot be reached', Code.Unavailable, undefined, undefined, error)
    }
  }
}
