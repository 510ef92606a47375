import { createClient, type Transport } from '@connectrpc/connect'
import { UploadsInternalService, type RoomEvent } from '@parley/contracts/internal'

const timeoutMs = 5_000

export type VideoOutcome = { roomId: string; event: RoomEvent }

/** Returns the outcomes of at most 100 videos, without the unfinished ones. */
export type GetVideoOutcomes = (assetIds: readonly string[], signal: AbortSignal) => Promise<VideoOutcome[]>

export const getVideoOutcomes = (transport: Transport): GetVideoOutcomes => {
  const uploads = createClient(UploadsInternalService, transport)
  return async (assetIds, signal) => {
    const { outcomes } = await uploads.getVideoOutcomes({ assetIds: [...assetIds] }, { timeoutMs, signal })
    return outcomes.flatMap(({ roomId, event }) => (event ? [{ roomId, event }] : []))
  }
}
