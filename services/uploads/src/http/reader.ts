import type { IncomingMessage, ServerResponse } from 'node:http'
import { authenticate, isRemembered, presentedCredentials } from '@parley/credentials'
import { readAssetAccess, type ServerImageSize, type VideoVariant } from '@parley/signed-urls'
import { closeSignal, headerOf } from '@parley/runtime'
import type { Reader } from '../clients/room-access.ts'
import type { Context } from '../context.ts'
import { addressOf } from './client-address.ts'
import { Refusal } from './refusal.ts'

/** The requested resource: a file, another size of an image, or a rendition of a video. */
export type Wanted = { assetId: string; size: ServerImageSize | undefined; variant?: VideoVariant }

/** The authenticated reader, and how they were authenticated. */
export type KnownReader = Reader & { by: 'ticket' | 'bearer' | 'cookie' }

/**
 * The reader of a file: the holder of the ticket in its address, or the signed-in user, who may read only the file
 * itself. Throws a refusal, also when the network sends too many invalid credentials, or `unavailable` when the
 * credential cannot be checked.
 */
export async function readerOf(
  ctx: Context,
  request: IncomingMessage,
  response: ServerResponse,
  wanted: Wanted,
): Promise<KnownReader> {
  const access = new URLSearchParams((request.url ?? '').split('?', 2)[1]).get('access')
  if (access !== null) return holderOf(ctx, access, wanted) ?? badTicket(ctx, request)
  if (wanted.size || wanted.variant) throw new Refusal(403, 'permission denied: the address has no ticket')
  const presented = presentedCredentials((name) => headerOf(request, name), ctx.credentialSecrets)
  const isKnown = isRemembered(ctx.callers, presented)
  const trial = { address: addressOf(ctx, request), isKnown, signal: () => closeSignal(response) }
  const { found, waitMs } = await ctx.trials.lookUp(trial, () => authenticate(ctx.callers, presented))
  if (waitMs > 0) throw tooManyTrials(waitMs)
  if (!found) throw nobodyRefusal()
  const { caller, by } = found
  return { userId: caller.userId, roleIds: caller.roleIds, by }
}

function holderOf(ctx: Context, access: string, { assetId, size, variant }: Wanted): KnownReader | undefined {
  const ticket = readAssetAccess(ctx.signingSecrets, access, ctx.now())
  if (ticket?.assetId !== assetId || !isSame(ticket.image, size) || ticket.variant !== variant) return undefined
  return { userId: ticket.userId, by: 'ticket' }
}

/** Counts a request with an invalid ticket, and throws. */
function badTicket(ctx: Context, request: IncomingMessage): never {
  const address = addressOf(ctx, request)
  const waitMs = ctx.trials.wait(address)
  if (waitMs > 0) throw tooManyTrials(waitMs)
  ctx.trials.failed(address)
  throw ticketRefusal()
}

const ticketRefusal = () => new Refusal(403, 'permission denied: invalid ticket')
const nobodyRefusal = () =>
  new Refusal(401, 'authentication required: sign in, or use an address with a ticket', {
    'www-authenticate': 'Bearer',
  })
const tooManyTrials = (waitMs: number) =>
  new Refusal(429, 'too many unauthenticated requests from your network; wait and try again', {
    'retry-after': String(Math.ceil(waitMs / 1000)),
  })

const isSame = (a: ServerImageSize | undefined, b: ServerImageSize | undefined): boolean =>
  a?.width === b?.width && a?.height === b?.height && a?.fit === b?.fit
