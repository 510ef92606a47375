import { Code, ConnectError } from '@connectrpc/connect'

/**
 * Returns `fetch`, but with the error `unavailable` instead of a TypeError, by which platforms report a failed request.
 */
export function reportUnreachable(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init)
    } catch (error) {
      // A request that the caller or the deadline aborted has not failed.
      if (init?.signal?.aborted || !(error instanceof Error) || error.name !== 'TypeError') throw error
      throw new ConnectError('the server cannot be reached', Code.Unavailable, undefined, undefined, error)
    }
  }
}
