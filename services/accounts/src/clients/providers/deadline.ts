import type { HandlerContext } from '@connectrpc/connect'

/** All that is asked of a provider for one call together; the gateway waits for a little longer. */
const deadlineMs = 10_000

export const providerDeadline = (call: HandlerContext): AbortSignal =>
  AbortSignal.any([call.signal, AbortSignal.timeout(deadlineMs)])
