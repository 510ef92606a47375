import { ConnectError } from '@connectrpc/connect'
import * as errors from '../../errors.ts'
import { FetchRefused, type RefusalReason } from './failures.ts'
import type { SafeFetch } from './safe-fetch.ts'

const maxBytes = 5 * 1024 * 1024

const refusals: Record<RefusalReason, () => ConnectError> = {
  url: errors.badImageUrl,
  private: errors.addressIsPrivate,
  redirects: errors.tooManyRedirects,
  size: () => errors.imageIsTooLarge(maxBytes),
  type: errors.notAnImage,
}

/**
 * Throws `invalid_argument` for a refused URL or response, `unavailable` for an image that cannot be fetched, and
 * `resource_exhausted` if too many host names are being resolved.
 */
export async function fetchImage(
  fetch: SafeFetch,
  { url, callerId }: { url: string; callerId: string },
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    return (await fetch(url, { callerId, accept: 'image/*', maxBytes, ifTooLong: 'refuse' }, signal)).bytes
  } catch (error) {
    if (error instanceof ConnectError) throw error
    throw error instanceof FetchRefused ? refusals[error.reason]() : errors.imageCannotBeFetched(error)
  }
}
