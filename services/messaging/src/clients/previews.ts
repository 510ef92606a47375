import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { PagePreviewSchema, UploadsInternalService } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'
import { previewsUnavailable } from '../errors.ts'

/** Enough for a slow page with a slow image. */
const timeoutMs = 25_000

/**
 * Fetches a preview, encoded for storage; undefined when there is nothing to show. Does not stop if the caller
 * disconnects, and neither does uploads.
 */
export type PreviewLink = (url: string, userId: string) => Promise<Uint8Array | undefined>

const passedOn = new Set([Code.InvalidArgument, Code.ResourceExhausted, Code.Canceled, Code.DeadlineExceeded])

export const previewLink = (transport: Transport): PreviewLink => {
  const uploads = createClient(UploadsInternalService, transport)
  return async (url, userId) => {
    try {
      const { preview } = await uploads.previewLink({ url, userId }, { timeoutMs })
      return preview && encode(PagePreviewSchema, preview)
    } catch (error) {
      throw error instanceof ConnectError && passedOn.has(error.code) ? error : previewsUnavailable(error)
    }
  }
}
