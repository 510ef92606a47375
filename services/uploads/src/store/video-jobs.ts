import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { and, asc, eq, inArray, isNotNull, isNull, like, or, sql } from 'drizzle-orm'
import { VideoStateSchema, type VideoState } from '@parley/contracts/internal'
import { versionOfNow } from '@parley/events'
import { JobQueue, type Job } from '@parley/jobs'
import type { Reader, Tx } from '@parley/postgres'
import { encode } from '@parley/protobuf'
import { assets, videoJobs } from './schema.ts'

export type ClaimedJob = Job<typeof videoJobs>
type AttachedFile = { assetId: string; eventId: string }
export type QueuedVideo = { assetId: string; roomId: string; messageEventId: string }

export const videoQueue = new JobQueue(videoJobs, {
  ...{ key: ['assetId'], open: isNull(videoJobs.result) },
  order: [videoJobs.imported, videoJobs.createdAt],
})

export const initialState = { status: 'processing' }
const unprocessed = { status: 'failed', reasonCode: 'processing_failed' }

const isProcessedAsVideo = or(
  like(assets.contentType, 'video/%'),
  and(eq(assets.contentType, 'image/gif'), assets.animated),
)

export async function insertVideoJobs(
  tx: Tx,
  attached: readonly AttachedFile[],
  { imported, now }: { imported: boolean; now: Date },
): Promise<QueuedVideo[]> {
  if (attached.length === 0) return []
  const messages = new Map(attached.map(({ assetId, eventId }) => [assetId, eventId]))
  const rows = await tx
    .select({ assetId: assets.id, roomId: assets.roomId })
    .from(assets)
    .where(and(inArray(assets.id, [...messages.keys()]), eq(assets.doomed, false), isProcessedAsVideo))
    .orderBy(asc(assets.id))
  const queued = rows.flatMap((row) => {
    const messageEventId = messages.get(row.assetId)
    return messageEventId === undefined ? [] : { ...row, messageEventId }
  })
  if (queued.length === 0) return []
  videoQueue.announce(tx)
  return tx
    .insert(videoJobs)
    .values(queued.map((video) => ({ ...video, imported, dueAt: sql`clock_timestamp()`, createdAt: now })))
    .onConflictDoNothing()
    .returning({
      assetId: videoJobs.assetId,
      roomId: videoJobs.roomId,
      messageEventId: videoJobs.messageEventId,
    })
}

export async function findVideoStates(db: Reader, assetIds: readonly string[]): Promise<Map<string, VideoState>> {
  const rows = await db
    .select({ assetId: videoJobs.assetId, result: videoJobs.result })
    .from(videoJobs)
    .where(inArray(videoJobs.assetId, [...assetIds]))
  return new Map(rows.map(({ assetId, result }) => [assetId, toState(result)]))
}

const toState = (result: Uint8Array | null): VideoState =>
  result === null ? create(VideoStateSchema, initialState) : fromBinary(VideoStateSchema, result)

export type VideoOutcome = QueuedVideo & { state: VideoState; version: bigint }

/** Higher than the version of the event that processing has started, lower than that of every result. */
const unstartedVersion = 2n

/**
 * A posted video without a job counts as failed: its event arrived while processing was off, but its message says that
 * it will be processed.
 */
export async function findVideoOutcomes(db: Reader, assetIds: readonly string[]): Promise<VideoOutcome[]> {
  const rows = await db
    .select({
      ...{ assetId: assets.id, roomId: assets.roomId, claimedFor: assets.claimEventId },
      ...{ messageEventId: videoJobs.messageEventId, result: videoJobs.result, version: videoJobs.endedVersion },
      createdAt: videoJobs.createdAt,
    })
    .from(assets)
    .leftJoin(videoJobs, eq(videoJobs.assetId, assets.id))
    .where(
      and(inArray(assets.id, [...assetIds]), assets.posted, or(isNull(videoJobs.assetId), isNotNull(videoJobs.result))),
    )
  return rows.map(({ assetId, roomId, claimedFor, messageEventId, result, version, createdAt }) => ({
    ...{ assetId, roomId, messageEventId: messageEventId ?? claimedFor ?? '' },
    state: result ? toState(result) : create(VideoStateSchema, unprocessed),
    version: version ?? (createdAt ? BigInt(createdAt.getTime()) * 1000n : unstartedVersion),
  }))
}

/** Returns the version of the result; undefined if another process works on the video or it is deleted. */
export async function endJob(
  tx: Tx,
  job: ClaimedJob,
  state: MessageInitShape<typeof VideoStateSchema>,
): Promise<bigint | undefined> {
  const result = encode(VideoStateSchema, state)
  const [ended] = await tx
    .update(videoJobs)
    .set({ result, endedVersion: sql.raw(versionOfNow) })
    .where(videoQueue.whereHeld(job))
    .returning({ version: videoJobs.endedVersion })
  return ended?.version ?? undefined
}
