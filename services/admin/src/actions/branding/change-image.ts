import type { HandlerContext } from '@connectrpc/connect'
import type { Caller } from '@parley/credentials'
import type { ServerPublicProfile } from '@parley/contracts/api'
import { blobOf } from '@parley/rpc'
import { storeServerImage } from '../../clients/uploads.ts'
import type { Context } from '../../context.ts'
import { imageCleared, imageSet, serverUpdated, type ServerImage } from '../../domain/server-events.ts'
import { imageMissing } from '../../errors.ts'
import { countServerChange } from '../../metrics.ts'
import { changeServer } from '../../store/server-changes.ts'
import { toPublicProfile } from '../../view/server.ts'

const columns = { logo: 'logoKey', banner: 'bannerKey' } as const

export async function setImage(
  ctx: Context,
  image: ServerImage,
  caller: Caller,
  call: HandlerContext,
): Promise<ServerPublicProfile> {
  const blobId = blobOf(call)
  if (blobId === undefined) throw imageMissing()
  return changeImage(
    ctx,
    image,
    caller,
    await storeServerImage(ctx.uploads, image, { blobId, callerId: caller.userId }),
  )
}

export function clearImage(ctx: Context, image: ServerImage, caller: Caller): Promise<ServerPublicProfile> {
  return changeImage(ctx, image, caller, null)
}

async function changeImage(
  ctx: Context,
  image: ServerImage,
  caller: Caller,
  key: string | null,
): Promise<ServerPublicProfile> {
  const by = { actorId: caller.userId, at: ctx.now() }
  const { profile, entries } = await changeServer(ctx.db, by, (_tx, before) => {
    if (before[columns[image]] === key) return undefined
    const auditEvent = key === null ? imageCleared(image) : imageSet(image, key)
    return {
      set: { [columns[image]]: key },
      events: (after) => [serverUpdated(toPublicProfile(after, ctx.config), after, by), auditEvent],
    }
  })
  if (entries.length > 0) countServerChange(image)
  ctx.relay.wake(entries)
  return toPublicProfile(profile, ctx.config)
}
