import type { Event } from '@parley/contracts/internal'
import { AccountsInternalService, AdminInternalService } from '@parley/contracts/internal'
import { followControl, followEvents, refuseErased } from '@parley/events'
import { openReads, type Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost } from '@parley/service'
import { claimAssets } from './clients/assets.ts'
import { fetchHandles, Handles } from './clients/handles.ts'
import { previewLink } from './clients/previews.ts'
import { fetchProfiles, Profiles } from './clients/profiles.ts'
import { tellTyping } from './clients/typing.ts'
import { getVideoOutcomes } from './clients/video-outcomes.ts'
import type { Config } from './config.ts'
import { keepLevel } from './consumers/keep-level.ts'
import type { Context } from './context.ts'
import { tooManyReads } from './errors.ts'
import { erasePerson } from './actions/erasure/erase-person.ts'
import { catchUpVideos } from './jobs/catch-up-videos.ts'
import { dropMessageKeys } from './jobs/drop-message-keys.ts'
import { dropRoomEventVersions } from './jobs/drop-room-event-versions.ts'
import { resolveMentions } from './jobs/resolve-mentions.ts'
import { dropPreviewTokens } from './jobs/drop-preview-tokens.ts'
import { Headers } from './actions/room-log/headers.ts'
import { RoomWriter } from './actions/room-log/room-writer.ts'
import { writeBatch } from './actions/room-log/write-batch.ts'
import { routes } from './rpc/index.ts'
import { findHeader } from './store/lines.ts'
import { mentionsLeft } from './store/unresolved-mentions.ts'

/** What a test may replace, and the signal that gives up starting. */
export type Overrides = Partial<Pick<Context, 'now' | 'relay'>> & {
  stop?: AbortSignal
  /** How long posts wait for the users behind handles, and pages for profiles. */
  accountsTimeoutMs?: number
}

const keysDroppedEveryMs = 10 * 60_000
const mentionsResolvedEveryMs = 10_000
const videosCaughtUpEveryMs = 5 * 60_000
const tryAgainMs = 1_000

/** Starts the deployable. */
export function startMessaging(config: Config, overrides: Overrides = {}): Promise<Service> {
  const { stop } = overrides
  const options = { name: 'messaging', config, waitsFor: ['policy'], planOnce: true, stop } as const
  return startDatabaseHost(options, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const { db, pool, transport } = host
  const accounts = host.client(AccountsInternalService)
  const { profiles, feed } = await followProfiles(host, overrides.accountsTimeoutMs)
  const policy = await host.policy(host.client(AdminInternalService), feed)
  const ctx: Context = {
    ...{ db, pool, profiles },
    reads: openReads({ connections: config.databasePool, refusal: tooManyReads }),
    relay: overrides.relay ?? (await host.relay()),
    headers: new Headers((roomId) => findHeader(pool, roomId)),
    writer: new RoomWriter((roomId, commands) => writeBatch(ctx, roomId, commands)),
    handles: new Handles(fetchHandles(transport, overrides.accountsTimeoutMs)),
    claimAssets: claimAssets(transport),
    previewLink: previewLink(transport),
    tellTyping: tellTyping(host.calls),
    policy: () => policy.current(),
    assets: { publicUrl: config.publicUrl, signingSecret: config.assetsSigningSecret },
    now: overrides.now ?? (() => new Date()),
    editWindowMs: config.editWindowMs,
  }
  startJobs(host, ctx)
  await host.consume({ durable: 'levels', subject: 'evt.preference.>', on: keepLevel })
  await host.erase(erasePerson(pool), accounts)
  // The statement that writes a post looks for itself, and who types changes nothing.
  const guard = refuseErased(db, new Set(['CreateMessage', 'UpdateTypingIndicator']))
  await host.serve({ routes: routes(ctx), guard })
}

/** Profiles are kept until something is heard of their user. */
async function followProfiles(host: DatabaseHost, timeoutMs: number | undefined) {
  const { events: bus } = host
  const profiles = new Profiles(fetchProfiles(host.transport, timeoutMs))
  const userChanged = (event: Event) => event.aggregateType === 'user' && profiles.drop(event.aggregateId)
  const onReset = () => profiles.clear()
  const feed = host.use(await followControl({ bus, onEvent: userChanged, onReset }))
  const onEvents = (batch: Event[]) => batch.forEach(userChanged)
  host.use(await followEvents({ bus, subject: 'evt.user.>', onEvents, onReset }))
  return { profiles, feed }
}

function startJobs(host: DatabaseHost, ctx: Context): void {
  const { db, pool } = ctx
  const everyMs = keysDroppedEveryMs
  host.every({ name: 'drop message keys', everyMs, run: (stop) => dropMessageKeys(db, stop) })
  host.every({ name: 'drop preview tokens', everyMs, run: (stop) => dropPreviewTokens(pool, stop) })
  host.every({
    ...{ name: 'drop versions of calls and assets', everyMs },
    run: (stop) => dropRoomEventVersions(pool, stop),
  })
  const resolving = host.every({
    ...{ name: 'resolve mentions', everyMs: mentionsResolvedEveryMs, afterFailureMs: tryAgainMs },
    run: (stop) => resolveMentions(ctx, stop),
  })
  host.use(mentionsLeft.listen(pool, () => resolving.wake()))
  const videos = { ...ctx, getVideoOutcomes: getVideoOutcomes(host.transport) }
  host.every({
    ...{ name: 'catch up videos', everyMs: videosCaughtUpEveryMs },
    run: (stop) => catchUpVideos(videos, stop),
  })
}
