import { Code, ConnectError } from '@connectrpc/connect'
import { headers as natsHeaders, type MsgHdrs } from 'nats'
import {
  controlHeader,
  errorControl,
  packNotStarted,
  packPart,
  reasonHeader,
  startedControl,
  trailerPrefix,
  type NotStartedReason,
} from '../envelope.ts'
import { encodeError } from '../errors.ts'
import { maxReplyBytes, partBytes } from '../limits.ts'
import type { Delivery } from '../in-process.ts'
import type { CallContext } from './call-context.ts'

const empty = new Uint8Array(0)
const started = control(startedControl)

export function sendStarted(delivery: Delivery): void {
  delivery.respond(empty, { headers: started })
}

/** This server will not start the call. */
export function sendNotStarted(delivery: Delivery, reason: NotStartedReason): void {
  delivery.respond(empty, { headers: control(packNotStarted(reason)) })
}

/** Sends an answer or, if it is too large, an error. Returns the code, undefined for success. */
export function sendAnswer(delivery: Delivery, body: Uint8Array, context: CallContext): Code | undefined {
  if (body.length > maxReplyBytes) {
    const error = new ConnectError(`the reply is larger than ${maxReplyBytes} bytes`, Code.ResourceExhausted)
    return sendError(delivery, error)
  }
  const set = context.replyHeaders
  if (!set && body.length <= partBytes) {
    delivery.respond(body)
    return undefined
  }
  const headers = natsHeaders()
  set?.header?.forEach((value, name) => headers.append(name, value))
  set?.trailer?.forEach((value, name) => headers.append(trailerPrefix + name, value))
  send(delivery, body, headers, false)
  return undefined
}

/** Sends an error; returns its code. */
export function sendError(delivery: Delivery, error: ConnectError): Code {
  const headers = natsHeaders()
  error.metadata.forEach((value, name) => {
    if (name !== reasonHeader) headers.append(name, value)
  })
  send(delivery, encodeError(error), headers, true)
  return error.code
}

/** Sends a body; a large one in parts, of which the first has the headers. */
function send(delivery: Delivery, body: Uint8Array, headers: MsgHdrs, error: boolean): void {
  if (body.length <= partBytes) {
    if (error) headers.append(controlHeader, errorControl)
    delivery.respond(body, { headers })
    return
  }
  const count = Math.ceil(body.length / partBytes)
  for (let index = 0; index < count; index++) {
    const part = index === 0 ? headers : natsHeaders()
    part.append(controlHeader, packPart(index, count, error))
    delivery.respond(body.subarray(index * partBytes, (index + 1) * partBytes), { headers: part })
  }
}

function control(packed: string): MsgHdrs {
  const headers = natsHeaders()
  headers.append(controlHeader, packed)
  return headers
}
