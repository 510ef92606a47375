import { eventually } from '@parley/testkit'
import { newId } from '@parley/ids'
import type { videoJobs } from '../src/store/schema.ts'
import type { Env } from './_env.ts'
import { claimRequest, sendFile } from './_send-files.ts'

export type Posted = { assetId: string; eventId: string }

export async function postFile(env: Env, bytes: Uint8Array, contentType = 'video/mp4'): Promise<Posted> {
  const { id: assetId } = await sendFile(env, bytes, { contentType, filename: 'video.mp4' })
  const eventId = newId('event')
  await env.internal.claimAssets(claimRequest([assetId], { eventId }))
  await publishMessage(env, { assetId, eventId })
  return { assetId, eventId }
}

export const publishMessage = (env: Env, { assetId, eventId }: Posted) =>
  env.publish('Rtea', {
    id: eventId,
    kind: 'message_posted',
    fact: { case: 'messagePosted', value: { attachmentAssetIds: [assetId] } },
  })

export async function waitForEvents(env: Env, assetId: string, ...kinds: string[]): Promise<void> {
  await eventually(() => {
    const published = env.messaging.kindsOf(assetId)
    if (published.join() !== kinds.join()) throw new Error(`the room received ${published.join()}`)
  })
}

export const started = 'asset_processing_started'
export const succeeded = 'asset_processing_succeeded'
export const failed = 'asset_processing_failed'

export const isPaused = (job: typeof videoJobs.$inferSelect | undefined): boolean => {
  const leftMs = (job?.dueAt.getTime() ?? 0) - Date.now()
  return job?.result === null && leftMs > 0 && leftMs <= 15_000
}
