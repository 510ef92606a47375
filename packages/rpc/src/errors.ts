import { create, fromBinary, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { AnySchema, type Any } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import { StatusSchema } from '@parley/contracts/rpc'
import { reasonHeader } from './envelope.ts'

const typePrefix = 'type.googleapis.com/'

type Detail = ConnectError['details'][number]

/** Encodes an error as `google.rpc.Status`, without its metadata, which travels in headers. */
export function encodeError(error: ConnectError): Uint8Array {
  return toBinary(
    StatusSchema,
    create(StatusSchema, { code: error.code, message: error.rawMessage, details: error.details.map(packDetail) }),
  )
}

/** The error that the caller throws. */
export function decodeError(body: Uint8Array, metadata: Record<string, string> | undefined): ConnectError {
  try {
    const status = fromBinary(StatusSchema, body)
    const error = new ConnectError(status.message, codeOf(status.code), metadata)
    error.details = status.details.map((any) => ({ type: any.typeUrl.replace(typePrefix, ''), value: any.value }))
    return error
  } catch (cause) {
    return unreadableReply(cause)
  }
}

function packDetail(detail: Detail): Any {
  if (!('desc' in detail)) return create(AnySchema, { typeUrl: typePrefix + detail.type, value: detail.value })
  const value = encodeInit(detail.desc, detail.value)
  return create(AnySchema, { typeUrl: typePrefix + detail.desc.typeName, value })
}

function encodeInit<D extends DescMessage>(desc: D, init: MessageInitShape<D>): Uint8Array {
  return toBinary(desc, create(desc, init))
}

function codeOf(code: number): Code {
  return Code[code] === undefined ? Code.Unknown : code
}

export function unavailable(message: string, reason: string, cause?: unknown): ConnectError {
  return new ConnectError(message, Code.Unavailable, { [reasonHeader]: reason }, undefined, cause)
}

/** The peer sent a message that this version cannot read. */
export function unreadableReply(cause: unknown): ConnectError {
  return new ConnectError('the reply cannot be read', Code.Internal, undefined, undefined, cause)
}
