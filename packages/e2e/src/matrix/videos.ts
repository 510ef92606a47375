import { hasFfmpeg } from '@parley/testkit'
import { film, mp4, noFilm } from '../films.ts'
import { sendFile } from '../files.ts'
import { channel, pair } from './cast.ts'
import { row, type Row } from './rows.ts'
import type { Stage } from './stage.ts'

async function postFilm(stage: Stage, room: 'channel' | 'dm', content: Buffer) {
  const assetId = await sendFile(stage.people.ada, stage[room], content, mp4)
  await stage.post('ada', stage[room], 'a film', { attachmentAssetIds: [assetId] })
}

/** Processing of videos; nothing without ffmpeg. */
export const videos: Row[] = hasFfmpeg()
  ? [
      row(
        'a video in a channel',
        async (stage) => postFilm(stage, 'channel', await film()),
        ['messagePosted', channel],
        ['roomMarkedAsRead', ['ada']],
        ['assetProcessingStarted', channel],
        ['assetProcessingSucceeded', channel],
      ),
      row(
        'a broken video in a direct message',
        (stage) => postFilm(stage, 'dm', noFilm()),
        ['messagePosted', pair],
        ['roomMarkedAsRead', ['ada']],
        ['notificationCreated', ['bob']],
        ['newDirectMessageNotification', ['bob']],
        ['assetProcessingStarted', pair],
        ['assetProcessingFailed', pair],
      ),
    ]
  : []
