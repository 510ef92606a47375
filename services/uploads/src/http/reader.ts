import type { IncomingMessage } from 'node:http'
import { readAssetTicket, type ServerImageSize, type VideoVariant } from '@parley/auth'
import type { Reader } from '../clients/room-access.ts'
import type { Context } from '../context.ts'
import { Refusal } from './refusal.ts'

/** What is asked for: a file, another size of an image, or what was made of a video. */
export type Wanted = { assetId: string; size: ServerImageSize | undefined; variant?: VideoVariant }

/** Who asks for a file: the holder of the ticket in its address. Throws a refusal. */
export function readerOf(ctx: Context, request: IncomingMessage, { assetId, size, variant }: Wanted): Reader {
  const access = new URLSearchParams((request.url ?? '').split('?', 2)[1]).get('access')
  if (access === null) throw size || variant ? new Refusal(403, 'no ticket') : new Refusal(401, 'no ticket')
  const ticket = readAssetTicket(ctx.signingSecrets, access, ctx.now())
  if (ticket?.assetId !== assetId || !isSame(ticket.image, size) || ticket.variant !== variant)
    throw new Refusal(403, 'the ticket does not hold')
  return { userId: ticket.userId }
}

const isSame = (a: ServerImageSize | undefined, b: ServerImageSize | undefined): boolean =>
  a?.width === b?.width && a?.height === b?.height && a?.fit === b?.fit
