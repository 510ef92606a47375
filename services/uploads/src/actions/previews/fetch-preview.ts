import { create } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { PagePreviewSchema } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'
import type { Context } from '../../context.ts'
import { fetchImage } from '../../engines/fetch/index.ts'
import { storeImage, type StoredImageKind } from '../../engines/images/index.ts'
import { decodeHtml } from './decode-html.ts'
import { describePage, type PageDescription } from './describe-page.ts'
import { readPage } from './read-page.ts'
import { youtubeVideoId } from './youtube.ts'

const maxPageBytes = 2 * 1024 * 1024
const imageKind: StoredImageKind = { name: 'link_preview', maxSize: { width: 1200, height: 630 } }

export type FetchedPreview = { preview?: Uint8Array; imageKey?: string }

type Page = { url: URL; callerId: string }

/**
 * Returns no preview if the page cannot be fetched or has nothing to show; a YouTube video always has a preview. Throws
 * `resource_exhausted` if too many host names are being resolved or too many images converted. Also rejects if the
 * image cannot be stored or `signal` is aborted.
 */
export async function fetchPreview(
  ctx: Context,
  { url, callerId }: Page,
  signal: AbortSignal,
): Promise<FetchedPreview> {
  const page = await fetchAndDescribe(ctx, { url, callerId }, signal)
  const embedId = youtubeVideoId(url)
  if (!page && embedId === undefined) return {}
  const imageKey =
    page?.imageUrl === undefined ? undefined : await fetchAndStoreImage(ctx, { url: page.imageUrl, callerId }, signal)
  const { title = '', description = '', siteName = '' } = page ?? {}
  if (!title && !description && embedId === undefined && imageKey === undefined) return {}
  const preview = create(PagePreviewSchema, {
    ...{ url: url.href, title, description, siteName, imageKey: imageKey ?? '' },
    ...(embedId !== undefined && { embedType: 'youtube', embedId }),
  })
  return { preview: encode(PagePreviewSchema, preview), ...(imageKey !== undefined && { imageKey }) }
}

async function fetchAndDescribe(
  ctx: Context,
  { url, callerId }: Page,
  signal: AbortSignal,
): Promise<PageDescription | undefined> {
  const accept = 'text/html, application/xhtml+xml'
  const acceptsType = (type: string) => /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type)
  const options = { callerId, accept, maxBytes: maxPageBytes, ifTooLong: 'truncate', acceptsType } as const
  const page = await ctx.fetch(url.href, options, signal).catch(ignoreUnlessOverloaded)
  // The fetch may have failed because this process is stopping. That must not be cached as a missing preview.
  signal.throwIfAborted()
  return page && describePage(await readPage(decodeHtml(page.bytes, page.contentType)), page.url)
}

async function fetchAndStoreImage(
  ctx: Context,
  image: { url: string; callerId: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const bytes = await fetchImage(ctx.fetch, image, signal).catch(ignoreUnlessOverloaded)
  signal.throwIfAborted()
  if (!bytes) return undefined
  return storeImage(ctx, { kind: imageKind, ownerId: 'server' }, () => Promise.resolve(bytes)).catch(ignoreInvalidImage)
}

/** Overload says nothing about the page, and the lack of a preview would be cached. */
function ignoreUnlessOverloaded(error: unknown): undefined {
  if (error instanceof ConnectError && error.code === Code.ResourceExhausted) throw error
  return undefined
}

function ignoreInvalidImage(error: unknown): undefined {
  if (ConnectError.from(error).code !== Code.InvalidArgument) throw error
  return undefined
}
