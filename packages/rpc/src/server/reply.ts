import { Code, ConnectError } from '@connectrpc/connect'
import { headers as natsHeaders, type Msg, type MsgHdrs } from 'nats'
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
import type { CallContext } from './call-context.ts'

const empty = new Uint8Array(0)
const started = control(startedControl)

/** Says that the call is being worked on. */
export function sayStarted(msg: Msg): void {
  msg.respond(empty, { headers: started })
}

/** Says that the call was not and will not be begun here. */
export function sayNotStarted(msg: Msg, reason: NotStartedReason): void {
  msg.respond(empty, { headers: control(packNotStarted(reason)) })
}

/** Sends the encoded answer with the headers its handler set. Returns the code, undefined for success. */
export function sendAnswer(msg: Msg, body: Uint8Array, context: CallContext): Code | undefined {
  if (body.length > maxReplyBytes) {
    const error = new ConnectError(`the reply is larger than ${maxReplyBytes} bytes`, Code.ResourceExhausted)
    return sendError(msg, error)
  }
  const set = context.set
  if (!set && body.length <= partBytes) {
    msg.respond(body)
    return undefined
  }
  const headers = natsHeaders()
  set?.header?.forEach((value, name) => headers.append(name, value))
  set?.trailer?.forEach((value, name) => headers.append(trailerPrefix + name, value))
  send(msg, body, headers, false)
  return undefined
}

/** Sends an error with its metadata and details. Returns its code. */
export function sendError(msg: Msg, error: ConnectError): Code {
  const headers = natsHeaders()
  error.metadata.forEach((value, name) => {
    if (name !== reasonHeader) headers.append(name, value)
  })
  send(msg, encodeError(error), headers, true)
  return error.code
}

/** Small bodies go whole; large ones in parts, the headers with the first. */
function send(msg: Msg, body: Uint8Array, headers: MsgHdrs, error: boolean): void {
  if (body.length <= partBytes) {
    if (error) headers.append(controlHeader, errorControl)
    msg.respond(body, { headers })
    return
  }
  const count = Math.ceil(body.length / partBytes)
  for (let index = 0; index < count; index++) {
    const part = index === 0 ? headers : natsHeaders()
    part.append(controlHeader, packPart(index, count, error))
    msg.respond(body.subarray(index * partBytes, (index + 1) * partBytes), { headers: part })
  }
}

function control(packed: string): MsgHdrs {
  const headers = natsHeaders()
  headers.append(controlHeader, packed)
  return headers
}
