import { createClient, type Transport } from '@connectrpc/connect'
import { UploadsInternalService, type AttachedAsset } from '@parley/contracts/internal'

const timeoutMs = 2_000

export type AssetClaim = { roomId: string; eventId: string; userId: string; assetIds: string[] }

/** Throws `invalid_argument` with the id of a file that cannot be attached. */
export type ClaimAssets = (claim: AssetClaim) => Promise<AttachedAsset[]>

export const claimAssets = (transport: Transport): ClaimAssets => {
  const uploads = createClient(UploadsInternalService, transport)
  return async (claim) => (await uploads.claimAssets(claim, { timeoutMs })).assets
}
