import { create, fromBinary } from '@bufbuild/protobuf'
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import { CallerSchema, type Caller as CallerMessage } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'

/** The signed-in user who makes a call. */
export type Caller = {
  readonly userId: string
  /** Id of the bearer token or session that was presented. */
  readonly credentialId: string
  /** Ids of the roles held, without the implicit `everyone`. */
  readonly roleIds: readonly string[]
  /** Time until which the credential is fresh (a recent sign-in or password check); undefined if it never was. */
  readonly freshUntil: Date | undefined
  readonly expiresAt: Date
  /** Version of the role assignments in `roleIds`. */
  readonly rolesVersion: bigint
  /** When a browser session should get a new cookie; undefined for bearer tokens. */
  readonly rotateAfter?: Date | undefined
}

/** Name of the bus header that carries an encoded caller. */
export const callerHeader = 'parley-caller'

/** The message for the bus header and for responses of accounts. */
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

/** Converts the message to a caller; undefined if the user, the credential or the expiry is missing. */
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

/** Writes a caller as the value of the header: base64 of `svc.internal.v1.Caller`. */
export function encodeCaller(caller: Caller): string {
  return Buffer.from(encode(CallerSchema, toCallerMessage(caller))).toString('base64')
}

/** Reads what {@link encodeCaller} wrote. Throws `unauthenticated` for anything else. */
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
