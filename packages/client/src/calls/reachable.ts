import { Code, ConnectError } from '@connectrpc/connect'

/**
 * Returns a `fetch` that fails with `unavailable` if the server cannot be reached. The `fetch` of platforms
 * fails with a TypeError then.
 */
export function reportUnreachable(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init)
    } catch (error) {
      // If the caller or the deadline aborted the request, the server may be reachable.
      if (init?.signal?.aborted || !(error instanceof Error) || error.name !== 'TypeError') throw error
      throw new ConnectError('the server cannot be reached', Code.Unavailable, undefined, undefined, error)
    }
  }
}
