import { Code, ConnectError } from '@connectrpc/connect'
import { unavailable } from '../errors.ts'
import { maxRequestBytes, silenceMs, startByMs } from '../limits.ts'
import { methodName } from '../subjects.ts'
import type { OutgoingCall } from './pending-call.ts'

/** The error of a call whose signal was aborted: the reason of the signal if it is a ConnectError. */
export function canceled(signal: AbortSignal): ConnectError {
  const reason: unknown = signal.reason
  if (reason instanceof ConnectError) return reason
  return new ConnectError('the call was canceled', Code.Canceled, undefined, undefined, reason)
}

/** Why a call cannot be sent; undefined if it can. */
export function refusal(call: OutgoingCall): ConnectError | undefined {
  if (call.signal?.aborted) return canceled(call.signal)
  if (call.timeoutMs <= 0) return noTimeLeft()
  return call.body.length > maxRequestBytes ? requestTooLarge() : undefined
}

/**
 * The error of a call whose deadline has passed; it depends on whether a server had started the call, and on whether
 * the timeout was long enough to expect a reply.
 */
export function deadlinePassed(call: OutgoingCall, started: boolean): ConnectError {
  const name = methodName(call.method)
  if (started || call.timeoutMs < startByMs + silenceMs) {
    return new ConnectError(`${name} took longer than ${Math.round(call.timeoutMs)} ms`, Code.DeadlineExceeded)
  }
  return unavailable(`no answer from ${name}; the call may or may not have run`, 'silence')
}

export function notStarted(call: OutgoingCall, reason: string): ConnectError {
  return unavailable(`${methodName(call.method)} was not started: the server is ${reason}; try again`, reason)
}

export function noOwner(call: OutgoingCall): ConnectError {
  return unavailable(`no server answers ${methodName(call.method)} at the moment`, 'no-owner')
}

const noTimeLeft = () => new ConnectError('deadline exceeded before the call started', Code.DeadlineExceeded)
const requestTooLarge = () =>
  new ConnectError(`the request is larger than ${maxRequestBytes} bytes`, Code.ResourceExhausted)
export const closing = () => unavailable('this process is shutting down', 'closed')
export const noBus = (cause?: unknown) => unavailable('the bus is not connected; try again', 'no-bus', cause)
export const busLost = () =>
  unavailable('the connection to the bus was lost; the call may or may not have run', 'no-bus')
export const partLost = () => unavailable('a part of the reply was lost; try again', 'part-lost')
export const tooManyParts = () => unavailable('too many large replies at once; try again', 'overloaded')
export const unknownReply = () => unavailable('the reply is of an unknown kind', 'bad-reply')
