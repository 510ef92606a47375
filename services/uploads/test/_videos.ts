import { eventually } from '@parley/testkit'
import { newId } from '@parley/ids'
import type { videoJobs } from '../src/store/schema.ts'
import type { Env } from './_env.ts'
import { claiming, sendFile } from './_sending.ts'

export type Posted = { assetId: string; eventId: string }

/** Posts a message of Alice with a file, and answers the ids of both. */
export async function postFile(env: Env, bytes: Uint8Array, contentType = 'video/mp4'): Promise<Posted> {
  const { id: assetId } = await sendFile(env, bytes, { contentType, filename: 'film' })
  const eventId = newId('event')
  await env.internal.claimAssets(claiming([assetId], { eventId }))
  await tellPosted(env, { assetId, eventId })
  return { assetId, eventId }
}

export const tellPosted = (env: Env, { assetId, eventId }: Posted) =>
  env.tell('Rtea', {
    id: eventId,
    kind: 'message_posted',
    fact: { case: 'messagePosted', value: { attachmentAssetIds: [assetId] } },
  })

/** Waits until the room was told of these things about a file, and of nothing else. */
export async function heard(env: Env, assetId: string, ...kinds: string[]): Promise<void> {
  await eventually(() => {
    const told = env.messaging.kindsOf(assetId)
    if (told.join() !== kinds.join()) throw new Error(`the room heard ${told.join()}`)
  })
}

export const started = 'asset_processing_started'
export const succeeded = 'asset_processing_succeeded'
export const failed = 'asset_processing_failed'

/** Whether a video waits to be tried again: a lease, which is kept for longer than a pause lasts, is not meant. */
export const isPaused = (job: typeof videoJobs.$inferSelect | undefined): boolean => {
  const leftMs = (job?.dueAt.getTime() ?? 0) - Date.now()
  return job?.result === null && leftMs > 0 && leftMs <= 15_000
}
