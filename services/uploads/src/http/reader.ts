import type { IncomingMessage, ServerResponse } from 'node:http'
import { authenticate, isRemembered, presentedCredentials } from '@parley/credentials'
import { readAssetAccess, type ServerImageSize, type VideoVariant } from '@parley/signed-urls'
import { closeSignal, headerOf } from '@parley/runtime'
import type { RoomReader } from '../clients/room-access.ts'
import type { Context } from '../context.ts'
import { addressOf } from './client-address.ts'
import { Refusal } from './refusal.ts'

export type Wanted = { assetId: string; size: ServerImageSize | undefined; variant?: VideoVariant }

export type KnownReader = RoomReader & { by: 'signed URL' | 'bearer' | 'cookie' }

/**
 * The reader is the user for whom the URL was signed, or the signed-in user, who may read only the original. Throws a
 * refusal, also if the network sends too many invalid requests, or `unavailable` if the credential cannot be checked.
 */
export async function getReader(
  ctx: Context,
  request: IncomingMessage,
  response: ServerResponse,
  wanted: Wanted,
): Promise<KnownReader> {
  const access = new URLSearchParams((request.url ?? '').split('?', 2)[1]).get('access')
  if (access !== null) return readerOfSignedUrl(ctx, access, wanted) ?? refuseSignature(ctx, request)
  if (wanted.size || wanted.variant) throw new Refusal(403, 'permission denied: sizes and renditions need a signed URL')
  const presented = presentedCredentials((name) => headerOf(request, name), ctx.credentialSecrets)
  const isKnown = isRemembered(ctx.callers, presented)
  const attempt = { address: addressOf(ctx, request), isKnown, signal: () => closeSignal(response) }
  const { found, waitMs } = await ctx.credentialAttempts.lookUp(attempt, () => authenticate(ctx.callers, presented))
  if (waitMs > 0) throw tooManyRequests(waitMs)
  if (!found) throw unauthenticated()
  const { caller, by } = found
  return { userId: caller.userId, roleIds: caller.roleIds, by }
}

function readerOfSignedUrl(ctx: Context, access: string, { assetId, size, variant }: Wanted): KnownReader | undefined {
  const signed = readAssetAccess(ctx.signingSecrets, access, ctx.now())
  if (signed?.assetId !== assetId || !isSameSize(signed.image, size) || signed.variant !== variant) return undefined
  return { userId: signed.userId, by: 'signed URL' }
}

function refuseSignature(ctx: Context, request: IncomingMessage): never {
  const address = addressOf(ctx, request)
  const waitMs = ctx.credentialAttempts.wait(address)
  if (waitMs > 0) throw tooManyRequests(waitMs)
  ctx.credentialAttempts.countFailure(address)
  throw invalidSignature()
}

const invalidSignature = () => new Refusal(403, 'permission denied: the signature of the URL is invalid or expired')
const unauthenticated = () =>
  new Refusal(401, 'authentication required: sign in, or use a signed URL', {
    'www-authenticate': 'Bearer',
  })
const tooManyRequests = (waitMs: number) =>
  new Refusal(429, 'too many unauthenticated requests from your network; wait and try again', {
    'retry-after': String(Math.ceil(waitMs / 1000)),
  })

const isSameSize = (a: ServerImageSize | undefined, b: ServerImageSize | undefined): boolean =>
  a?.width === b?.width && a?.height === b?.height && a?.fit === b?.fit
