import type { Client } from '@connectrpc/connect'
import { ServerImageKind, type UploadsInternalService } from '@parley/contracts/internal'
import type { ServerImage } from '../domain/server-events.ts'

const kinds: Record<ServerImage, ServerImageKind> = { logo: ServerImageKind.LOGO, banner: ServerImageKind.BANNER }

/** Returns the key. After a while, `uploads` deletes the image unless a `server_updated` event names its key. */
export async function storeServerImage(
  uploads: Client<typeof UploadsInternalService>,
  image: ServerImage,
  blob: { blobId: string; callerId: string },
): Promise<string> {
  const { key } = await uploads.storeServerImage({ ...blob, kind: kinds[image], ownerId: 'server' })
  return key
}
