import type { MessageInitShape } from '@bufbuild/protobuf'
import type { VideoStateSchema } from '@parley/contracts/internal'
import { handOver } from '@parley/events'
import type { Db } from '@parley/postgres'
import type { Storage } from '../storage/index.ts'
import { insertVariants, type VariantRow } from '../../store/asset-variants.ts'
import { lockAssets } from '../../store/assets.ts'
import { findAnyAsset } from '../../store/imported-files.ts'
import { endJob, type ClaimedJob } from '../../store/video-jobs.ts'
import { fetchSource } from './fetch-source.ts'
import type { Encoder } from './encode.ts'
import { processingEnded } from './room-events.ts'
import { deleteVariantBytes, storeVariants } from './store-variants.ts'
import type { FailureReason } from './video-failure.ts'

export type VideoContext = { db: Db; storage: Storage; now: () => Date }
export type VideoDependencies = { ctx: VideoContext; encoder: Encoder }

/** `discarded`: the file has been deleted or lost, or another process works on it. */
export type ProcessingOutcome = 'completed' | 'failed' | 'discarded'

/**
 * Announces a finished video to its room. Rejects with a VideoFailure if the video cannot be processed, which
 * `failVideo` announces, or with another error if the video should be tried again.
 */
export async function processVideo(
  deps: VideoDependencies,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<'completed' | 'discarded'> {
  const { ctx, encoder } = deps
  const asset = await findAnyAsset(ctx.db, job.assetId)
  if (!asset) return 'discarded'
  await using folder = await encoder.openFolder()
  const here = { folder: folder.path, signal }
  const demuxer = await fetchSource(ctx.storage, { ...here, assetId: asset.id, size: asset.size })
  const encoded = await encoder.encode({ ...here, demuxer })
  const variants = await storeVariants(ctx, { ...here, assetId: asset.id, encoded })
  const { width, height, durationMs } = encoded.source
  const state = {
    ...{ status: 'completed', width, height, durationMs: BigInt(durationMs) },
    hasPoster: encoded.poster !== undefined,
    variants: encoded.renditions.map(({ size, ...rendition }) => ({ ...rendition, size: BigInt(size) })),
  }
  // If this rejects it is unknown whether the rows exist, so the bytes are left to the sweep.
  if (await finish(ctx, job, { state, variants })) return 'completed'
  await deleteVariantBytes(ctx, variants)
  return 'discarded'
}

export async function failVideo(
  ctx: VideoContext,
  job: ClaimedJob,
  reasonCode: FailureReason,
): Promise<ProcessingOutcome> {
  return (await finish(ctx, job, { state: { status: 'failed', reasonCode }, variants: [] })) ? 'failed' : 'discarded'
}

type Finished = { state: MessageInitShape<typeof VideoStateSchema>; variants: readonly VariantRow[] }

/**
 * Locks the row of the file, so that it is not deleted concurrently. Returns false if the file is deleted or lost, or
 * another process works on it.
 */
function finish(ctx: VideoContext, job: ClaimedJob, { state, variants }: Finished): Promise<boolean> {
  return ctx.db.transaction(async (tx) => {
    const [asset] = await lockAssets(tx, [job.assetId])
    const version = asset && (await endJob(tx, job, state))
    if (version === undefined) return false
    await insertVariants(tx, variants)
    await handOver(tx, job.roomId, [processingEnded(job, state, { version, now: ctx.now() })])
    return true
  })
}
