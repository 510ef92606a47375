import { create, fromBinary } from '@bufbuild/protobuf'
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import { CallerSchema, type Caller as CallerMessage } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'

export type Caller = {
  readonly userId: string
  readonly credentialId: string
  /** Without `everyone`. */
  readonly roleIds: readonly string[]
  /** Until then the credential counts as a recent sign-in; undefined if it never does. */
  readonly freshUntil: Date | undefined
  readonly expiresAt: Date
  readonly rolesVersion: bigint
  /** When a browser session should get a new cookie; undefined for bearer tokens. */
  readonly rotateAfter?: Date | undefined
}

/** Bus header with the encoded caller. */
export const callerHeader = 'parley-caller'

export function toCallerMessage(caller: Caller): CallerMessage {
  const message = create(CallerSchema, {
    userId: caller.userId,
    credentialId: caller.credentialId,
    roleIds: [...caller.roleIds],
    expiresAt: timestampFromDate(caller.expiresAt),
    rolesVersion: caller.rolesVersion,
  })
  if (caller.freshUntil) message.freshUntil = timestampFromDate(caller.freshUntil)
  if (caller.rotateAfter) message.rotateAfter = timestampFromDate(caller.rotateAfter)
  return message
}

/** Undefined if the user, the credential or the expiry is missing. */
export function callerFrom(message: CallerMessage): Caller | undefined {
  if (!message.userId || !message.credentialId || !message.expiresAt) return undefined
  return {
    userId: message.userId,
    credentialId: message.credentialId,
    roleIds: message.roleIds,
    freshUntil: message.freshUntil && timestampDate(message.freshUntil),
    expiresAt: timestampDate(message.expiresAt),
    rolesVersion: message.rolesVersion,
    ...(message.rotateAfter && { rotateAfter: timestampDate(message.rotateAfter) }),
  }
}

/** Base64 of `svc.internal.v1.Caller`. */
export function encodeCaller(caller: Caller): string {
  return Buffer.from(encode(CallerSchema, toCallerMessage(caller))).toString('base64')
}

/** Throws `unauthenticated` unless the header contains a complete caller. */
export function decodeCaller(header: string): Caller {
  const message = parse(header)
  const caller = message && callerFrom(message)
  if (!caller) throw new ConnectError('the caller cannot be read', Code.Unauthenticated)
  return caller
}

function parse(header: string): CallerMessage | undefined {
  try {
    return fromBinary(CallerSchema, Buffer.from(header, 'base64'))
  } catch {
    return undefined
  }
}
