import { createClient } from '@connectrpc/connect'
import { isForwardedByGateway } from '@parley/auth'
import {
  AccountsInternalService,
  AdminInternalService,
  MessagingInternalService,
  RoomsInternalService,
} from '@parley/contracts/internal'
import {
  consumeEventBatches,
  consumeEvents,
  followPolicy,
  refuseErased,
  startErasures,
  startHandOver,
  startRelay,
} from '@parley/events'
import { NameResolver, publicExcept, type Resolve } from '@parley/outbound'
import { openDatabase } from '@parley/postgres'
import { openTrials } from '@parley/redis'
import { connectBus, createRpcClient, serveRpc } from '@parley/rpc'
import { clientAddressBehind, Health, Resources, retry, serveHttp, serveInternal, type Service } from '@parley/runtime'
import { callersAt } from './clients/callers.ts'
import { FileOwners } from './clients/file-owners.ts'
import { RoomAccess } from './clients/room-access.ts'
import type { Config } from './config.ts'
import { onMessageChanged } from './consumers/on-message-changed.ts'
import { onMessagePosted, onMessagesImported } from './consumers/on-message-posted.ts'
import { onProfileUpdated } from './consumers/on-profile-updated.ts'
import { onServerUpdated } from './consumers/on-server-updated.ts'
import type { Context } from './context.ts'
import { erasePerson } from './erasure/erase-person.ts'
import { safeFetch } from './fetch/safe-fetch.ts'
import { rememberUsage } from './files/server-usage.ts'
import { Workshop } from './files/workshop.ts'
import { handleRequests } from './http/routes.ts'
import { openRenderings } from './images/renderings.ts'
import { openStudio } from './images/studio.ts'
import { TransformCache } from './images/transform-cache.ts'
import { cleanPreviews } from './jobs/clean-previews.ts'
import { cleanUploads } from './jobs/clean-uploads.ts'
import { deleteDoomedAssets } from './jobs/delete-doomed-assets.ts'
import { deleteDoomedImages } from './jobs/delete-doomed-images.ts'
import { expireAssets } from './jobs/expire-assets.ts'
import { sweepOrphans } from './jobs/sweep-orphans.ts'
import { sweepUnclaimed } from './jobs/sweep-unclaimed.ts'
import { dividedMemory } from './memory.ts'
import { PageDesk } from './previews/page-desk.ts'
import { bytesOfServer } from './store/usage.ts'
import { routes } from './rpc/index.ts'
import { openStorage } from './storage/open.ts'
import { openEncoder } from './video/open-encoder.ts'
import { remoteEncoder } from './video/remote-encoder.ts'
import { startVideos } from './video/start.ts'

export type Overrides = {
  /** Gives up starting. */
  stop?: AbortSignal
  now?: () => Date
  /** How names of other servers are found. */
  resolve?: Resolve
  /** How often what nobody needs is looked for. */
  sweepEveryMs?: number
}

/** Opens everything in dependency order; disposing the result closes it in reverse. */
export async function startUploads(config: Config, overrides: Overrides = {}): Promise<Service> {
  await using opened = new Resources()
  const closing = new AbortController()
  const signal = AbortSignal.any([closing.signal, ...(overrides.stop ? [overrides.stop] : [])])
  const health = new Health()
  const storageAnswers = health.startup('storage')
  const databaseAnswers = health.startup('postgres')
  const busAnswers = health.startup('nats')
  const policyLoaded = health.startup('policy')
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))

  const storage = await openStorage(config.assetStorage, opened, signal)
  storageAnswers()
  const database = opened.use(
    await openDatabase({ url: config.databaseUrl, pool: config.databasePool, name: 'uploads' }),
  )
  await retry(() => database.ping(), { signal, initialMs: 200, maxMs: 5000 })
  databaseAnswers()
  const { db, pool } = database

  const bus = { url: config.natsUrl, user: config.natsUser, password: config.natsPassword, name: 'uploads', signal }
  const events = opened.use(await connectBus({ ...bus, purpose: 'events' }))
  const calls = opened.use(await connectBus({ ...bus, purpose: 'rpc' }))
  busAnswers()

  const transport = opened.use(createRpcClient(calls, { name: 'uploads' })).transport()
  const accounts = createClient(AccountsInternalService, transport)
  const admin = createClient(AdminInternalService, transport)
  const messaging = createClient(MessagingInternalService, transport)
  const policy = opened.use(await followPolicy({ bus: events, signal, load: () => admin.getPolicy({}) }))
  policyLoaded()

  const now = overrides.now ?? (() => new Date())
  // Whoever looks at several pages waits for one name after the other, as many as messaging lets them have at once.
  const names = opened.use(new NameResolver({ mostWaitingPerAsker: 3 }))
  const isRemote = config.videoWorkerUrls.length > 0
  const memory = dividedMemory(config, { images: true, videos: config.videoEnabled && !isRemote })
  const openVideos = isRemote ? () => remoteEncoder(config.videoWorkerUrls, config) : openEncoder
  const encoder = config.videoEnabled ? await openVideos(config, { memoryBytes: memory.toolBytes, signal }) : undefined
  const ctx: Context = {
    db,
    relay: opened.use(await startRelay({ pool, bus: events, service: 'uploads' })),
    policy: () => policy.current(),
    rooms: new RoomAccess(createClient(RoomsInternalService, transport)),
    owners: new FileOwners({ accounts, admin, messaging }),
    storage,
    studio: openStudio({ atOnce: memory.imagesAtOnce }),
    transforms: new TransformCache(memory.transformCacheBytes),
    renderings: opened.use(
      openRenderings({ perHour: config.renderingsPerHour, perNetworkAndHour: config.renderingsPerNetwork }),
    ),
    fetch: safeFetch({
      isAllowed: config.fetchPrivate ? () => true : publicExcept(config.privateNetworks),
      resolve: overrides.resolve ?? names.resolve,
    }),
    pages: new PageDesk(signal),
    callers: callersAt(accounts, now),
    credentialSecrets: config,
    clientAddress: clientAddressBehind(config.trustedProxies, {
      isPassedOn: (header) => isForwardedByGateway(config, header),
    }),
    trials: opened.use(openTrials({ perMinute: config.trialsPerMinute })),
    allowedOrigins: config.allowedOrigins,
    blobSecrets: present(config.blobSecret, config.previousBlobSecret),
    signingSecrets: present(config.assetsSigningSecret, config.previousAssetsSigningSecret),
    assets: { publicUrl: config.publicUrl, signingSecret: config.assetsSigningSecret },
    fileLimits: { ...config, videoEnabled: encoder !== undefined },
    quotas: {
      pendingBytes: config.pendingBytes,
      userBytes: config.userQuotaBytes,
      serverBytes: config.serverQuotaBytes,
    },
    serverUsage: rememberUsage(() => bytesOfServer(db, now()), now),
    workshop: new Workshop(),
    now,
  }
  const consumer = { bus: events, db, service: 'uploads' }
  const posted = { now, processesVideos: encoder !== undefined }
  opened.use(
    await consumeEvents({
      ...consumer,
      durable: 'avatars',
      subject: 'evt.user.*.user_profile_updated',
      on: onProfileUpdated,
    }),
  )
  opened.use(
    await consumeEvents({
      ...consumer,
      durable: 'branding',
      subject: 'evt.config.server.server_updated',
      on: onServerUpdated,
    }),
  )
  for (const [durable, kind, on] of [
    ['posted', 'message_posted', onMessagePosted(posted)],
    ['imported', 'messages_imported', onMessagesImported(posted)],
    ['edited', 'message_edited', onMessageChanged],
    ['retracted', 'message_retracted', onMessageChanged],
  ] as const)
    opened.use(await consumeEventBatches({ ...consumer, durable, subject: `evt.room.*.${kind}`, on }))
  opened.use(
    startHandOver({
      ...{ db, service: 'uploads' },
      apply: (roomId, roomEvents, stop) => messaging.applyRoomEvents({ roomId, events: roomEvents }, { signal: stop }),
    }),
  )
  opened.use(
    await startErasures({
      ...{ ...consumer, erase: erasePerson(ctx) },
      report: (report, stop) => accounts.reportErased({ ...report, service: 'uploads' }, { signal: stop }),
    }),
  )
  const everyMs = overrides.sweepEveryMs ?? 300_000
  opened.use(deleteDoomedImages(ctx, { everyMs: Math.min(everyMs, 10_000), signal }))
  opened.use(deleteDoomedAssets(ctx, { everyMs: Math.min(everyMs, 10_000), signal }))
  opened.use(cleanUploads(ctx, { everyMs, signal }))
  opened.use(cleanPreviews(ctx, { everyMs, signal }))
  opened.use(expireAssets(ctx, { everyMs, signal }))
  opened.use(sweepUnclaimed(ctx, { everyMs, signal }))
  opened.use(sweepOrphans(ctx, { everyMs: everyMs * 12, signal }))
  opened.use(
    await startVideos(ctx, {
      encoder,
      settings: config,
      atOnce: isRemote ? (config.videosAtOnce ?? 2) : memory.videosAtOnce,
      sweepEveryMs: everyMs,
      signal,
    }),
  )
  opened.defer('background work', () => closing.abort())
  const http = opened.use(
    await serveHttp({ host: config.httpHost, port: config.httpPort, handle: handleRequests(ctx) }),
  )
  opened.use(
    await serveRpc(calls, {
      deployable: 'uploads',
      routes: routes(ctx),
      health,
      drainTimeoutMs: config.drainTimeoutMs,
      guard: refuseErased(db),
    }),
  )
  opened.defer('readiness', () => health.drain())
  return Object.assign(opened.move(), {
    internalPort: internal.port,
    drainTimeoutMs: config.drainTimeoutMs,
    url: http.url,
  })
}

const present = (...secrets: (string | undefined)[]): string[] => secrets.filter((secret) => secret !== undefined)
