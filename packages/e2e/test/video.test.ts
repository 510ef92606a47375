import { describe, expect, test } from '@jest/globals'
import { MessageService, MessageVideoProcessingStatus, ServerService } from '@parley/contracts/api'
import { eventually, hasFfmpeg } from '@parley/testkit'
import { sendFile } from '../src/files.ts'
import { sampleVideo, mp4 } from '../src/sample-videos.ts'
import { fleet } from '../src/fleet.ts'
import { newPerson, signInOwner } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'
import { Socket } from '@parley/testkit/realtime-socket'

const withFfmpeg = hasFfmpeg() ? describe : describe.skip
const why = hasFfmpeg() ? '' : ' (skipped: ffmpeg is not on PATH)'

withFfmpeg(`a video${why}`, () => {
  test('is processed after it is posted: members are notified and can load ranges of it', async () => {
    const [owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
    expect((await ada.call(ServerService.method.getRuntimeConfig, {})).runtime?.videoProcessingEnabled).toBe(true)
    const roomId = await newRoom(owner, [ada, bob])
    using socket = await Socket.subscribe(fleet().gateways[1], bob.token)
    const assetId = await sendFile(ada, roomId, await sampleVideo(), mp4)
    const { createMessage, getMessage } = MessageService.method
    const { message } = await ada.call(createMessage, { roomId, attachmentAssetIds: [assetId] })
    const eventId = message?.id ?? ''

    const named = { roomId, assetId, messageEventId: eventId }
    await eventually(
      () => {
        const received = socket.events.flatMap(({ event }) =>
          event.case?.startsWith('assetProcessing') ? [{ case: event.case, value: event.value }] : [],
        )
        expect(received).toMatchObject([
          { case: 'assetProcessingStarted', value: named },
          { case: 'assetProcessingSucceeded', value: named },
        ])
      },
      { timeoutMs: 90_000 },
    )
    const read = await bob.call(getMessage, { roomId, eventId })
    const video = read.message?.attachments[0]?.videoProcessing
    expect(video).toMatchObject({
      ...{ status: MessageVideoProcessingStatus.COMPLETED, width: 640, height: 480, sourceAvailable: true },
      variants: [{ quality: '480p', width: 640, height: 480 }],
    })
    for (const [url, type] of [
      [video?.variants[0]?.assetUrl?.url, 'video/mp4'],
      [video?.thumbnailAssetUrl?.url, 'image/jpeg'],
    ]) {
      const { pathname, search } = new URL(url ?? '')
      const range = { range: 'bytes=0-9' }
      const part = await fetch(`${fleet().gateways[0]}${pathname}${search}`, { headers: range })
      expect([part.status, part.headers.get('content-type')]).toEqual([206, type])
      expect((await part.arrayBuffer()).byteLength).toBe(10)
      expect((await fetch(`${fleet().gateways[0]}${pathname}`)).status).toBe(403)
    }
  })
})
