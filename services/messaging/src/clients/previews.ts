import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { PagePreviewSchema, UploadsInternalService } from '@parley/contracts/internal'
import { encode } from '@parley/protobuf'
import { previewsUnavailable } from '../errors.ts'

const timeoutMs = 25_000

/**
 * Returns the encoded preview; undefined if there is nothing to show. If the caller disconnects, the fetch continues.
 */
export type PreviewLink = (url: string, userId: string) => Promise<Uint8Array | undefined>

const forwardedCodes = new Set([Code.InvalidArgument, Code.ResourceExhausted, Code.Canceled, Code.DeadlineExceeded])

export const previewLink = (transport: Transport): PreviewLink => {
  const uploads = createClient(UploadsInternalService, transport)
  return async (url, userId) => {
    try {
      const { preview } = await uploads.previewLink({ url, userId }, { timeoutMs })
      return preview && encode(PagePreviewSchema, preview)
    } catch (error) {
      throw error instanceof ConnectError && forwardedCodes.has(error.code) ? error : previewsUnavailable(error)
    }
  }
}
