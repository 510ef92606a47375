/** Sent to the client before the socket closes: a stable code, a message for people, and the close code. */
export type FatalError = {
  code: string
  message: string
  closeCode: number
  isTemporary?: true
}

const protocolError = 1002
const policyViolation = 1008
const tooBig = 1009
const serverError = 1011
const tryAgainLater = 1013

export const badHello = (message: string): FatalError => ({ code: 'bad_hello', message, closeCode: protocolError })
export const badSubscribe = (message: string): FatalError => ({
  code: 'bad_subscribe',
  message,
  closeCode: protocolError,
})
export const badFrame = (message: string): FatalError => ({ code: 'bad_frame', message, closeCode: protocolError })

export const withTooBigCode = (error: FatalError): FatalError => ({ ...error, closeCode: tooBig })

export const unsupportedProtocol = (version: number): FatalError => ({
  code: 'unsupported_protocol',
  message: `protocol version ${version} is not supported; this server speaks 1`,
  closeCode: protocolError,
})
export const authenticationRequired: FatalError = {
  code: 'authentication_required',
  message: 'authentication required: send a valid bearer token or session cookie',
  closeCode: policyViolation,
}
export const temporarilyUnavailable: FatalError = {
  code: 'temporarily_unavailable',
  message: 'the session cannot be checked at the moment; try again shortly',
  closeCode: tryAgainLater,
  isTemporary: true,
}
/** The code `temporarily_unavailable` makes clients reconnect by themselves, with growing delays. */
export const tooManyUnauthenticated: FatalError = {
  ...temporarilyUnavailable,
  message: 'too many unauthenticated sockets from your network; wait and try again',
}
export const tooManySockets: FatalError = {
  ...temporarilyUnavailable,
  message: 'too many open sockets of this account; close some and try again',
}
export const subscribeFailed: FatalError = {
  code: 'subscribe_failed',
  message: 'the subscription cannot be set up at the moment; try again shortly',
  closeCode: serverError,
  isTemporary: true,
}

/** Not an error. `reconnect`: whether the client should connect again. */
export type StreamEnd = { code: string; message: string; reconnect: boolean; closeCode: number }

const serviceRestart = 1012

export const streamClosed: StreamEnd = {
  code: 'stream_closed',
  message: 'the event stream was interrupted; reconnect and reload what you show',
  reconnect: true,
  closeCode: serviceRestart,
}
export const draining: StreamEnd = {
  code: 'draining',
  message: 'this node is shutting down; reconnect to another',
  reconnect: true,
  closeCode: serviceRestart,
}
export const slowConsumer: StreamEnd = {
  code: 'slow_consumer',
  message: 'events were not read fast enough; reconnect and resume from your last position',
  reconnect: true,
  closeCode: tryAgainLater,
}
export const overloaded: StreamEnd = {
  code: 'overloaded',
  message: 'this node accepts no more sockets at the moment; try again shortly',
  reconnect: true,
  closeCode: tryAgainLater,
}
export const rebalance: StreamEnd = {
  code: 'rebalance',
  message: 'this socket has been open for a long time; reconnect, perhaps to another node',
  reconnect: true,
  closeCode: serviceRestart,
}
export const sessionTerminated: StreamEnd = {
  code: 'session_terminated',
  message: 'session expired: sign in again',
  reconnect: false,
  closeCode: policyViolation,
}
