import { createClient } from '@connectrpc/connect'
import type { Event } from '@parley/contracts/internal'
import { AccountsInternalService, AdminInternalService } from '@parley/contracts/internal'
import {
  consumeEvents,
  followControl,
  followEvents,
  followPolicy,
  refuseErased,
  startErasures,
  startRelay,
} from '@parley/events'
import { openDatabase } from '@parley/postgres'
import { connectBus, createRpcClient, serveRpc } from '@parley/rpc'
import { Health, openReads, periodically, Resources, retry, serveInternal, type Service } from '@parley/runtime'
import { claimAssets } from './clients/assets.ts'
import { fetchHandles, Handles } from './clients/handles.ts'
import { previewLink } from './clients/previews.ts'
import { fetchProfiles, Profiles } from './clients/profiles.ts'
import { tellTyping } from './clients/typing.ts'
import { getVideoOutcomes } from './clients/video-outcomes.ts'
import type { Config } from './config.ts'
import { keepLevel } from './consumers/keep-level.ts'
import type { Context } from './context.ts'
import { erasePerson } from './erasure/erase-person.ts'
import { tooManyReads } from './errors.ts'
import { catchUpVideos } from './jobs/catch-up-videos.ts'
import { dropMessageKeys } from './jobs/drop-message-keys.ts'
import { dropRoomEventVersions } from './jobs/drop-room-event-versions.ts'
import { resolveMentions } from './jobs/resolve-mentions.ts'
import { dropPreviewTokens } from './jobs/drop-preview-tokens.ts'
import { Headers } from './line/headers.ts'
import { Lanes } from './line/lanes.ts'
import { writePosts } from './line/write-posts.ts'
import { Turns } from './line/turns.ts'
import { routes } from './rpc/index.ts'
import { findHeader, holdStill } from './store/lines.ts'
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

/** Opens everything in dependency order; disposing the result closes it in reverse. */
export async function startMessaging(config: Config, overrides: Overrides = {}): Promise<Service> {
  await using opened = new Resources()
  const closing = new AbortController()
  const signal = overrides.stop ? AbortSignal.any([closing.signal, overrides.stop]) : closing.signal
  const health = new Health()
  const databaseAnswers = health.startup('postgres')
  const busAnswers = health.startup('nats')
  const policyLoaded = health.startup('policy')
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))

  const { databaseUrl: url, databasePool, drainTimeoutMs } = config
  const { db, pool, ping } = opened.use(
    await openDatabase({ url, pool: databasePool, name: 'messaging', planOnce: true }),
  )
  await retry(ping, { signal, initialMs: 200, maxMs: 5_000 })
  databaseAnswers()

  const bus = { url: config.natsUrl, user: config.natsUser, password: config.natsPassword, name: 'messaging', signal }
  const events = opened.use(await connectBus({ ...bus, purpose: 'events' }))
  const calls = opened.use(await connectBus({ ...bus, purpose: 'rpc' }))
  busAnswers()
  const transport = opened.use(createRpcClient(calls, { name: 'messaging' })).transport()

  const profiles = new Profiles(fetchProfiles(transport, overrides.accountsTimeoutMs))
  const userChanged = (event: Event) => event.aggregateType === 'user' && profiles.drop(event.aggregateId)
  const onReset = () => profiles.clear()
  const feed = opened.use(await followControl({ bus: events, onEvent: userChanged, onReset }))
  const onEvents = (batch: Event[]) => batch.forEach(userChanged)
  opened.use(await followEvents({ bus: events, subject: 'evt.user.>', onEvents, onReset }))

  const admin = createClient(AdminInternalService, transport)
  const policy = opened.use(await followPolicy({ feed, signal, load: () => admin.getPolicy({}) }))
  policyLoaded()

  const ctx: Context = {
    db,
    pool,
    reads: openReads({ connections: databasePool, refusal: tooManyReads }),
    relay: overrides.relay ?? opened.use(await startRelay({ pool, bus: events, service: 'messaging' })),
    headers: new Headers((roomId) => findHeader(pool, roomId)),
    lanes: new Lanes((roomId, messages) => writePosts(ctx, roomId, messages)),
    turns: new Turns((roomId, run) => holdStill(pool, roomId, run)),
    profiles,
    handles: new Handles(fetchHandles(transport, overrides.accountsTimeoutMs)),
    claimAssets: claimAssets(transport),
    previewLink: previewLink(transport),
    tellTyping: tellTyping(calls),
    policy: () => policy.current(),
    assets: { publicUrl: config.publicUrl, signingSecret: config.assetsSigningSecret },
    now: overrides.now ?? (() => new Date()),
    editWindowMs: config.editWindowMs,
  }
  const job = { name: 'drop message keys', everyMs: keysDroppedEveryMs, signal }
  opened.use(periodically({ ...job, run: (stop) => dropMessageKeys(db, stop) }))
  const mentions = { name: 'resolve mentions', everyMs: mentionsResolvedEveryMs, afterFailureMs: tryAgainMs, signal }
  const resolving = opened.use(periodically({ ...mentions, run: (stop) => resolveMentions(ctx, stop) }))
  opened.use(mentionsLeft.listen(pool, () => resolving.wake()))
  const tokensJob = { name: 'drop preview tokens', everyMs: keysDroppedEveryMs, signal }
  opened.use(periodically({ ...tokensJob, run: (stop) => dropPreviewTokens(pool, stop) }))
  const versionsJob = { name: 'drop versions of calls and assets', everyMs: keysDroppedEveryMs, signal }
  opened.use(periodically({ ...versionsJob, run: (stop) => dropRoomEventVersions(pool, stop) }))
  const videos = { ...ctx, getVideoOutcomes: getVideoOutcomes(transport) }
  const videosJob = { name: 'catch up videos', everyMs: videosCaughtUpEveryMs, signal }
  opened.use(periodically({ ...videosJob, run: (stop) => catchUpVideos(videos, stop) }))
  const levels = { bus: events, db, service: 'messaging', durable: 'levels', subject: 'evt.preference.>' }
  opened.use(await consumeEvents({ ...levels, on: keepLevel }))
  const accounts = createClient(AccountsInternalService, transport)
  opened.use(
    await startErasures({
      ...{ bus: events, db, service: 'messaging', erase: erasePerson(pool) },
      report: (report, stop) => accounts.reportErased({ ...report, service: 'messaging' }, { signal: stop }),
    }),
  )
  opened.defer('background work', () => closing.abort())
  // The statement that writes a post looks for itself, and who types changes nothing.
  const guard = refuseErased(db, new Set(['CreateMessage', 'UpdateTypingIndicator']))
  opened.use(await serveRpc(calls, { deployable: 'messaging', routes: routes(ctx), health, drainTimeoutMs, guard }))
  opened.defer('readiness', () => health.drain())
  return Object.assign(opened.move(), { internalPort: internal.port, drainTimeoutMs })
}
