import { randomUUID } from 'node:crypto'
import { create, fromBinary, toBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { and, asc, count, eq, inArray, isNotNull, isNull, like, or, sql } from 'drizzle-orm'
import { VideoStateSchema, type VideoState } from '@parley/contracts/internal'
import { versionOfNow } from '@parley/events'
import { CommitChannel, sqlRows, type Db, type Reader, type Tx } from '@parley/postgres'
import { assets, videoJobs } from './schema.ts'

/** A video that somebody is working on. */
export type HeldJob = {
  assetId: string
  roomId: string
  messageEventId: string
  holder: string
  attempts: number
}
type Attached = { assetId: string; eventId: string }
export type BegunVideo = { assetId: string; roomId: string; messageEventId: string }

/** Videos that are to be processed. */
export const videosBegun = new CommitChannel()

/** What is said of a video before anything is known of it. */
export const processing = { status: 'processing' }
const neverProcessed = { status: 'failed', reasonCode: 'processing_failed' }

const soon = (milliseconds: number) => sql`clock_timestamp() + ${milliseconds}::int * interval '1 ms'`
/** `isMoving` in SQL. */
const moves = or(like(assets.contentType, 'video/%'), and(eq(assets.contentType, 'image/gif'), assets.animated))

/** Notes those of the files of messages that are to be processed; each once. */
export async function beginVideos(
  tx: Tx,
  attached: readonly Attached[],
  { imported, now }: { imported: boolean; now: Date },
): Promise<BegunVideo[]> {
  if (attached.length === 0) return []
  const messages = new Map(attached.map(({ assetId, eventId }) => [assetId, eventId]))
  const rows = await tx
    .select({ assetId: assets.id, roomId: assets.roomId })
    .from(assets)
    .where(and(inArray(assets.id, [...messages.keys()]), eq(assets.doomed, false), moves))
    .orderBy(asc(assets.id))
  const begun = rows.flatMap((row) => {
    const messageEventId = messages.get(row.assetId)
    return messageEventId === undefined ? [] : { ...row, messageEventId }
  })
  if (begun.length === 0) return []
  videosBegun.tell(tx)
  return tx
    .insert(videoJobs)
    .values(begun.map((video) => ({ ...video, imported, leasedUntil: soon(0), createdAt: now })))
    .onConflictDoNothing()
    .returning({
      assetId: videoJobs.assetId,
      roomId: videoJobs.roomId,
      messageEventId: videoJobs.messageEventId,
    })
}

type Taking = {
  leaseMs: number
  /** Only what everybody has left alone for as long. */
  idleMs: number
}

/** Takes the next video that nobody works on. */
export async function takeJob(db: Db, { leaseMs, idleMs }: Taking): Promise<HeldJob | undefined> {
  const holder = randomUUID()
  const next = db
    .select({ assetId: videoJobs.assetId })
    .from(videoJobs)
    .where(and(isNull(videoJobs.result), sql`${videoJobs.leasedUntil} <= ${soon(-idleMs)}`))
    .orderBy(asc(videoJobs.imported), asc(videoJobs.createdAt))
    .limit(1)
    .for('update', { skipLocked: true })
  const [job] = await db
    .update(videoJobs)
    .set({ holder, leasedUntil: soon(leaseMs), attempts: sql`${videoJobs.attempts} + 1` })
    .where(inArray(videoJobs.assetId, next))
    .returning()
  return job && { ...job, holder }
}

/** Milliseconds until the next video may be taken that nobody works on, or whose worker died; undefined when none waits. */
export async function nextVideoMs(db: Db): Promise<number | undefined> {
  const [row] = await sqlRows<{ ms: number | null }>(
    db,
    sql`select (extract(epoch from min(${videoJobs.leasedUntil}) - clock_timestamp()) * 1000)::float8 as ms
        from ${videoJobs} where ${videoJobs.result} is null`,
  )
  return row?.ms ?? undefined
}

const held = ({ assetId, holder }: HeldJob) =>
  and(eq(videoJobs.assetId, assetId), eq(videoJobs.holder, holder), isNull(videoJobs.result))

/** False: somebody else works on it, or it is gone. */
export async function keepJob(db: Db, job: HeldJob, leaseMs: number): Promise<boolean> {
  const kept = await db
    .update(videoJobs)
    .set({ leasedUntil: soon(leaseMs) })
    .where(held(job))
  return kept.rowCount === 1
}

/** Leaves it to whoever comes next after the pause, as if nobody had begun. */
export async function giveJobBack(db: Db, job: HeldJob, { pauseMs, counted }: { pauseMs: number; counted: boolean }) {
  const attempts = counted ? videoJobs.attempts : sql`${videoJobs.attempts} - 1`
  await db
    .update(videoJobs)
    .set({ holder: null, leasedUntil: soon(pauseMs), attempts })
    .where(held(job))
}

/** How many videos are still to be processed. */
export async function countJobs(db: Reader): Promise<number> {
  const [row] = await db.select({ waiting: count() }).from(videoJobs).where(isNull(videoJobs.result))
  return row?.waiting ?? 0
}

/** How far the videos among files have come, by file. */
export async function videoStatesOf(db: Reader, assetIds: readonly string[]): Promise<Map<string, VideoState>> {
  const rows = await db
    .select({ assetId: videoJobs.assetId, result: videoJobs.result })
    .from(videoJobs)
    .where(inArray(videoJobs.assetId, [...assetIds]))
  return new Map(rows.map(({ assetId, result }) => [assetId, toState(result)]))
}

const toState = (result: Uint8Array | null): VideoState =>
  result === null ? create(VideoStateSchema, processing) : fromBinary(VideoStateSchema, result)

/** The end of a video, with the version it was told with. */
export type VideoOutcome = BegunVideo & { state: VideoState; version: bigint }

/** Above that of the beginning, below that of every result. */
const neverBegunVersion = 2n

/**
 * How the processing of these ended. One that was posted while videos were switched off never begins, whatever was
 * expected when its message was written: it failed.
 */
export async function endedAmong(db: Reader, assetIds: readonly string[]): Promise<VideoOutcome[]> {
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
    state: result ? toState(result) : create(VideoStateSchema, neverProcessed),
    version: version ?? (createdAt ? BigInt(createdAt.getTime()) * 1000n : neverBegunVersion),
  }))
}

/** Answers the version of what it came to; undefined when somebody else works on it, or it is gone. */
export async function endJob(
  tx: Tx,
  job: HeldJob,
  state: MessageInitShape<typeof VideoStateSchema>,
): Promise<bigint | undefined> {
  const result = toBinary(VideoStateSchema, create(VideoStateSchema, state))
  const [ended] = await tx
    .update(videoJobs)
    .set({ result, holder: null, endedVersion: sql.raw(versionOfNow) })
    .where(held(job))
    .returning({ version: videoJobs.endedVersion })
  return ended?.version ?? undefined
}
