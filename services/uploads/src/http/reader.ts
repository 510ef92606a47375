import type { IncomingMessage } from 'node:http'
import {
  authenticate,
  presentedCredentials,
  readAssetTicket,
  type ServerImageSize,
  type VideoVariant,
} from '@parley/auth'
import type { Reader } from '../clients/room-access.ts'
import type { Context } from '../context.ts'
import { Refusal } from './refusal.ts'

/** What is asked for: a file, another size of an image, or what was made of a video. */
export type Wanted = { assetId: string; size: ServerImageSize | undefined; variant?: VideoVariant }

/** Somebody, and what told who it is. */
export type KnownReader = Reader & { by: 'ticket' | 'bearer' | 'cookie' }

/**
 * Who asks for a file: the holder of the ticket in its address; without one whoever is signed in, who gets the
 * file alone.
 * Throws a refusal, or `unavailable` when that cannot be told.
 */
export async function readerOf(ctx: Context, request: IncomingMessage, wanted: Wanted): Promise<KnownReader> {
  const access = new URLSearchParams((request.url ?? '').split('?', 2)[1]).get('access')
  if (access !== null) return holderOf(ctx, access, wanted)
  if (wanted.size || wanted.variant) throw new Refusal(403, 'the address has no ticket')
  const { authorization, cookie } = request.headers
  const headers: Record<string, string | undefined> = { authorization, cookie }
  const signedIn = await authenticate(
    ctx.callers,
    presentedCredentials((name) => headers[name], ctx.credentialSecrets),
  )
  if (!signedIn)
    throw new Refusal(401, 'the address has no ticket, and nobody is signed in', { 'www-authenticate': 'Bearer' })
  const { caller, by } = signedIn
  return { userId: caller.userId, roleIds: caller.roleIds, by }
}

function holderOf(ctx: Context, access: string, { assetId, size, variant }: Wanted): KnownReader {
  const ticket = readAssetTicket(ctx.signingSecrets, access, ctx.now())
  if (ticket?.assetId !== assetId || !isSame(ticket.image, size) || ticket.variant !== variant)
    throw new Refusal(403, 'the ticket does not hold')
  return { userId: ticket.userId, by: 'ticket' }
}

const isSame = (a: ServerImageSize | undefined, b: ServerImageSize | undefined): boolean =>
  a?.width === b?.width && a?.height === b?.height && a?.fit === b?.fit
