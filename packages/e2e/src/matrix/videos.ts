import { hasFfmpeg } from '@parley/testkit'
import { sampleVideo, mp4, brokenVideo } from '../sample-videos.ts'
import { sendFile } from '../files.ts'
import { channel, pair } from './users.ts'
import { row, type Row } from './rows.ts'
import type { Fixture } from './fixture.ts'

async function postVideo(fixture: Fixture, room: 'channel' | 'dm', content: Buffer) {
  const assetId = await sendFile(fixture.people.ada, fixture[room], content, mp4)
  await fixture.post('ada', fixture[room], 'a video', { attachmentAssetIds: [assetId] })
}

export const videos: Row[] = hasFfmpeg()
  ? [
      row(
        'a video in a channel',
        async (fixture) => postVideo(fixture, 'channel', await sampleVideo()),
        ['messagePosted', channel],
        ['roomMarkedAsRead', ['ada']],
        ['assetProcessingStarted', channel],
        ['assetProcessingSucceeded', channel],
      ),
      row(
        'a broken video in a direct message',
        (fixture) => postVideo(fixture, 'dm', brokenVideo()),
        ['messagePosted', pair],
        ['roomMarkedAsRead', ['ada']],
        ['notificationCreated', ['bob']],
        ['newDirectMessageNotification', ['bob']],
        ['assetProcessingStarted', pair],
        ['assetProcessingFailed', pair],
      ),
    ]
  : []
