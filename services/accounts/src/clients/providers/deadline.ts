import type { HandlerContext } from '@connectrpc/connect'

/** For all requests to a provider within one call; the gateway waits longer for the call. */
const deadlineMs = 10_000

export const providerDeadline = (call: HandlerContext): AbortSignal =>
  AbortSignal.any([call.signal, AbortSignal.timeout(deadlineMs)])
