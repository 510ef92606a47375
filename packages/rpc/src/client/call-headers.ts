import { headers as natsHeaders, type MsgHdrs } from 'nats'
import { callerHeader } from '@parley/credentials'
import { blobHeader, controlHeader, keyHeader, packRequest, traceHeader, type RequestControl } from '../envelope.ts'
import type { OutgoingCall } from './pending-call.ts'

export function requestHeaders(call: OutgoingCall, control: RequestControl): MsgHdrs {
  const headers = natsHeaders()
  headers.append(controlHeader, packRequest(control))
  if (call.caller) headers.append(callerHeader, call.caller)
  if (call.idempotencyKey) headers.append(keyHeader, call.idempotencyKey)
  if (call.blob) headers.append(blobHeader, call.blob)
  if (call.traceparent) headers.append(traceHeader, call.traceparent)
  call.extra?.forEach((value, name) => headers.append(name, value))
  return headers
}

/** Undefined when the handler set none. */
export function replyMetadata(headers: MsgHdrs | undefined): Map<string, string> | undefined {
  let metadata: Map<string, string> | undefined
  for (const [name, values] of headers ?? []) {
    if (name === controlHeader) continue
    metadata ??= new Map()
    metadata.set(name, values.join(', '))
  }
  return metadata
}
