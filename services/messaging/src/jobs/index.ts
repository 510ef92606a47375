import type { DatabaseHost } from '@parley/service'
import { getVideoOutcomes } from '../clients/video-outcomes.ts'
import type { Context } from '../context.ts'
import { catchUpVideos } from './catch-up-videos.ts'
import { dropMessageKeys } from './drop-message-keys.ts'
import { dropPreviewTokens } from './drop-preview-tokens.ts'
import { dropRoomEventVersions } from './drop-room-event-versions.ts'
import { resolveMentions } from './resolve-mentions.ts'

const cleanupIntervalMs = 10 * 60_000
const videoCatchUpIntervalMs = 5 * 60_000

export function startJobs(host: DatabaseHost, ctx: Context): void {
  const { db, pool } = ctx
  const everyMs = cleanupIntervalMs
  host.every({ name: 'drop message keys', everyMs, run: (stop) => dropMessageKeys(db, stop) })
  host.every({ name: 'drop preview tokens', everyMs, run: (stop) => dropPreviewTokens(pool, stop) })
  host.every({
    ...{ name: 'drop versions of calls and assets', everyMs },
    run: (stop) => dropRoomEventVersions(pool, stop),
  })
  host.use(resolveMentions(ctx, host.signal))
  const videos = { ...ctx, getVideoOutcomes: getVideoOutcomes(host.transport) }
  host.every({
    ...{ name: 'catch up videos', everyMs: videoCatchUpIntervalMs },
    run: (stop) => catchUpVideos(videos, stop),
  })
}
