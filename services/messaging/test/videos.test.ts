import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { readAssetAccess } from '@parley/signed-urls'
import { MessageVideoProcessingStatus, type MessageVideoProcessing } from '@parley/contracts/api'
import { RoomEventSchema, type VideoStateSchema } from '@parley/contracts/internal'
import { newId } from '@parley/ids'
import { eventually } from '@parley/testkit'
import { expect, test } from '@jest/globals'
import { say } from './_conversation.ts'
import { useFleet } from './_fleet.ts'
import { attach } from './_parts.ts'

const fleet = useFleet()

type State = MessageInitShape<typeof VideoStateSchema>

const eventOf = (assetId: string, version: bigint, video: State, kind = 'asset_processing_started') =>
  create(RoomEventSchema, {
    ...{ aggregateType: 'asset', aggregateId: assetId, version, eventId: newId('event'), kind },
    fact: { case: 'assetProcessing', value: { assetId, messageEventId: 'E1', video } },
  })

const publish = (roomId: string, assetId: string, version: bigint, video: State) =>
  fleet.messaging.applyRoomEvents({ roomId, events: [eventOf(assetId, version, video)] })

async function videoStates(roomId: string, eventId: string): Promise<(MessageVideoProcessing | undefined)[]> {
  const { rooms, messages } = fleet.as('bob')
  const { message } = await messages.getMessage({ roomId, eventId })
  const { attachments } = await rooms.listRoomAttachments({ roomId })
  return [message?.attachments[0]?.videoProcessing, attachments[0]?.attachment?.videoProcessing]
}

test('messages and lists of files show the state of a video', async () => {
  const { roomId } = await fleet.room().channel(['ann', 'bob'])
  const { id } = await say(fleet.as('ann'), roomId, 'look')
  const [assetId = ''] = await attach(fleet, roomId, id, [{ contentType: 'video/mp4' }])
  expect(await videoStates(roomId, id)).toEqual([undefined, undefined])

  await publish(roomId, assetId, 1n, { status: 'processing' })
  for (const video of await videoStates(roomId, id))
    expect(video).toMatchObject({
      ...{ status: MessageVideoProcessingStatus.PROCESSING, sourceAvailable: true, variants: [] },
    })

  const variants = ['720p', '480p'].map((quality) => ({ quality, width: 640, height: 480, size: 99n }))
  const many = Array.from({ length: 20 }, () => variants[0] ?? {})
  const done = { status: 'completed', durationMs: 2500n, width: 1920, height: 1080, hasPoster: true }
  await publish(roomId, assetId, 2n, { ...done, variants: [...variants, ...many] })
  for (const video of await videoStates(roomId, id)) {
    expect(video).toMatchObject({
      ...{ status: MessageVideoProcessingStatus.COMPLETED, durationMs: 2500n, width: 1920, height: 1080 },
      variants: [...variants, ...many],
    })
    const decodeUrl = (url = '') => {
      const access = new URL(url).searchParams.get('access') ?? ''
      return readAssetAccess([fleet.environment.PARLEY_CORE_ASSETS_SIGNING_SECRET], access, new Date())
    }
    expect(decodeUrl(video?.variants[0]?.assetUrl?.url)).toMatchObject({ assetId, userId: 'bob', variant: '720p' })
    expect(decodeUrl(video?.thumbnailAssetUrl?.url)).toMatchObject({ assetId, userId: 'bob', variant: 'poster' })
  }
})

test('the response to a post shows that its videos are being processed', async () => {
  const { roomId } = await fleet.room().channel(['ann', 'bob'])
  const attachmentAssetIds = [newId('asset'), newId('asset')]
  for (const assetId of attachmentAssetIds) fleet.fakes.assets.set(assetId, { userId: 'ann', roomId })
  fleet.fakes.videos.add(attachmentAssetIds[0] ?? '')
  const message = await say(fleet.as('ann'), roomId, '', { attachmentAssetIds })
  const states = message.attachments.map(({ videoProcessing }) => videoProcessing?.status)
  expect(states).toEqual([MessageVideoProcessingStatus.PROCESSING, undefined])
})

test('a failed video has a reason, and stays failed', async () => {
  const { roomId } = await fleet.room().channel(['ann', 'bob'])
  const { id } = await say(fleet.as('ann'), roomId, 'look')
  const [assetId = ''] = await attach(fleet, roomId, id, [{ contentType: 'video/mp4' }])
  await publish(roomId, assetId, 2n, { status: 'failed', reasonCode: 'original_missing' })
  for (const video of await videoStates(roomId, id))
    expect(video).toMatchObject({
      ...{ status: MessageVideoProcessingStatus.FAILED, reasonCode: 'original_missing', sourceAvailable: false },
    })
  // Like an older event that is replayed after the versions of the asset were deleted.
  await publish(roomId, assetId, 3n, { status: 'processing' })
  for (const video of await videoStates(roomId, id)) expect(video?.status).toBe(MessageVideoProcessingStatus.FAILED)
})

test('outcomes of videos that have been processing for minutes are requested from uploads, and applied once', async () => {
  const { roomId } = await fleet.room().channel(['ann', 'bob'])
  const attachmentAssetIds = Array.from({ length: 3 }, () => newId('asset'))
  const [ended = '', waiting = '', young = ''] = attachmentAssetIds
  for (const assetId of attachmentAssetIds) {
    fleet.fakes.assets.set(assetId, { userId: 'ann', roomId })
    fleet.fakes.videos.add(assetId)
  }
  const old = await say(fleet.as('ann'), roomId, '', { attachmentAssetIds: [ended, waiting] })
  await say(fleet.as('ann'), roomId, '', { attachmentAssetIds: [young] })
  await fleet.pool.query(
    `update room_events set created_at = created_at - interval '6 minutes' where room_id = $1 and event_id = $2`,
    [roomId, old.id],
  )
  for (const assetId of [ended, young]) {
    const event = eventOf(assetId, 7n, { status: 'completed', width: 4, height: 4 }, 'asset_processing_succeeded')
    fleet.fakes.videoOutcomes.set(assetId, { roomId, event })
  }
  await fleet.restart()
  const { messages } = fleet.as('bob')
  await eventually(async () => {
    const { message } = await messages.getMessage({ roomId, eventId: old.id })
    expect(message?.attachments.map(({ videoProcessing }) => videoProcessing?.status)).toEqual([
      ...[MessageVideoProcessingStatus.COMPLETED, MessageVideoProcessingStatus.PROCESSING],
    ])
  })
  await fleet.messaging.applyRoomEvents({
    roomId,
    events: [eventOf(ended, 7n, { status: 'failed' }, 'asset_processing_failed')],
  })
  const published = `select aggregate_id as "assetId", version from room_event_versions where room_id = $1`
  const { rows } = await fleet.pool.query(published, [roomId])
  expect(rows).toEqual([{ assetId: ended, version: 7n }])
  const states = (await fleet.as('bob').rooms.listRoomAttachments({ roomId })).attachments.map(
    ({ attachment }) => [attachment?.id, attachment?.videoProcessing?.status] as const,
  )
  expect(new Map(states)).toEqual(
    new Map([
      [ended, MessageVideoProcessingStatus.COMPLETED],
      [waiting, MessageVideoProcessingStatus.PROCESSING],
      [young, MessageVideoProcessingStatus.PROCESSING],
    ]),
  )
})
