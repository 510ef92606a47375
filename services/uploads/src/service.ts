import { isForwardedByGateway } from '@parley/credentials'
import {
  AccountsInternalService,
  AdminInternalService,
  MessagingInternalService,
  RoomsInternalService,
} from '@parley/contracts/internal'
import { NameResolver, publicExcept, type Resolve } from '@parley/outbound'
import { openTrials } from '@parley/redis'
import { clientAddressBehind, type Service } from '@parley/runtime'
import { startDatabaseHost, type DatabaseHost } from '@parley/service'
import { callersAt } from './clients/callers.ts'
import { FileOwners } from './clients/file-owners.ts'
import { RoomAccess } from './clients/room-access.ts'
import type { Config } from './config.ts'
import { onMessageChanged } from './consumers/on-message-changed.ts'
import { onMessagePosted, onMessagesImported } from './consumers/on-message-posted.ts'
import { onProfileUpdated } from './consumers/on-profile-updated.ts'
import { onServerUpdated } from './consumers/on-server-updated.ts'
import type { Context } from './context.ts'
import { erasePerson } from './actions/erasure/erase-person.ts'
import { safeFetch } from './engines/fetch/safe-fetch.ts'
import { rememberUsage } from './actions/files/server-usage.ts'
import { UploadCompletions } from './actions/files/upload-completions.ts'
import { handleRequests } from './http/routes.ts'
import { openRenderings } from './engines/images/renderings.ts'
import { openImageProcessor } from './engines/images/image-processor.ts'
import { TransformCache } from './engines/images/transform-cache.ts'
import { cleanPreviews } from './jobs/clean-previews.ts'
import { cleanUploads } from './jobs/clean-uploads.ts'
import { deleteDoomedAssets } from './jobs/delete-doomed-assets.ts'
import { deleteDoomedImages } from './jobs/delete-doomed-images.ts'
import { expireAssets } from './jobs/expire-assets.ts'
import { sweepOrphans } from './jobs/sweep-orphans.ts'
import { sweepUnclaimed } from './jobs/sweep-unclaimed.ts'
import type { MemoryPlan } from './domain/memory.ts'
import { dividedMemory } from './engines/memory.ts'
import { PageFetches } from './actions/previews/page-fetches.ts'
import { bytesOfServer } from './store/usage.ts'
import { routes } from './rpc/index.ts'
import { openStorage } from './engines/storage/open.ts'
import type { Encoder } from './engines/video/encode.ts'
import { openEncoder } from './engines/video/open-encoder.ts'
import { remoteEncoder } from './engines/video/remote-encoder.ts'
import { startVideos } from './engines/video/start.ts'

export type Overrides = {
  /** Gives up starting. */
  stop?: AbortSignal
  now?: () => Date
  /** How names of other servers are found. */
  resolve?: Resolve
  /** How often what nobody needs is looked for. */
  sweepEveryMs?: number
}

/** Starts the deployable. */
export function startUploads(config: Config, overrides: Overrides = {}): Promise<Service> {
  const { stop } = overrides
  const waitsFor = ['storage', 'policy']
  return startDatabaseHost({ name: 'uploads', config, waitsFor, stop }, (host) => compose(host, config, overrides))
}

async function compose(host: DatabaseHost, config: Config, overrides: Overrides): Promise<void> {
  const isRemote = config.videoWorkerUrls.length > 0
  const memory = dividedMemory(config, { images: true, videos: config.videoEnabled && !isRemote })
  const encoder = await openVideos(config, memory.toolBytes, host.signal)
  const ctx = await openContext(host, { config, overrides, memory, processesVideos: encoder !== undefined })
  await consumeAll(host, ctx, { processesVideos: encoder !== undefined })
  host.handOver(host.client(MessagingInternalService))
  await host.erase(erasePerson(ctx), host.client(AccountsInternalService))
  const sweepEveryMs = overrides.sweepEveryMs ?? 300_000
  startSweeps(host, ctx, sweepEveryMs)
  const atOnce = isRemote ? (config.videosAtOnce ?? 2) : memory.videosAtOnce
  host.use(await startVideos(ctx, { encoder, settings: config, atOnce, sweepEveryMs, signal: host.signal }))
  await host.serveHttp({ host: config.httpHost, port: config.httpPort, handle: handleRequests(ctx) })
  await host.serve({ routes: routes(ctx) })
}

async function openVideos(config: Config, memoryBytes: number, signal: AbortSignal): Promise<Encoder | undefined> {
  if (!config.videoEnabled) return undefined
  const isRemote = config.videoWorkerUrls.length > 0
  const open = isRemote ? () => remoteEncoder(config.videoWorkerUrls, config) : openEncoder
  return await open(config, { memoryBytes, signal })
}

type Given = { config: Config; overrides: Overrides; memory: MemoryPlan; processesVideos: boolean }

async function openContext(host: DatabaseHost, given: Given): Promise<Context> {
  const { config, overrides, memory, processesVideos } = given
  const { db } = host
  const storage = await openStorage(config.assetStorage, host, host.signal)
  host.ready('storage')
  const accounts = host.client(AccountsInternalService)
  const admin = host.client(AdminInternalService)
  const policy = await host.policy(admin)
  const now = overrides.now ?? (() => new Date())
  // Whoever looks at several pages waits for one name after the other, as many as messaging lets them have at once.
  const names = host.use(new NameResolver({ mostWaitingPerAsker: 3 }))
  return {
    ...{ db, storage, now },
    relay: await host.relay(),
    policy: () => policy.current(),
    rooms: new RoomAccess(host.client(RoomsInternalService)),
    owners: new FileOwners({ accounts, admin, messaging: host.client(MessagingInternalService) }),
    imageProcessor: openImageProcessor({ atOnce: memory.imagesAtOnce }),
    transforms: new TransformCache(memory.transformCacheBytes),
    renderings: host.use(
      openRenderings({ perHour: config.renderingsPerHour, perNetworkAndHour: config.renderingsPerNetwork }),
    ),
    fetch: safeFetch({
      isAllowed: config.fetchPrivate ? () => true : publicExcept(config.privateNetworks),
      resolve: overrides.resolve ?? names.resolve,
    }),
    pages: new PageFetches(host.signal),
    callers: callersAt(accounts, now),
    credentialSecrets: config,
    clientAddress: clientAddressBehind(config.trustedProxies, {
      isPassedOn: (header) => isForwardedByGateway(config, header),
    }),
    trials: host.use(openTrials({ perMinute: config.trialsPerMinute })),
    allowedOrigins: config.allowedOrigins,
    blobSecrets: present(config.blobSecret, config.previousBlobSecret),
    signingSecrets: present(config.assetsSigningSecret, config.previousAssetsSigningSecret),
    assets: { publicUrl: config.publicUrl, signingSecret: config.assetsSigningSecret },
    fileLimits: { ...config, videoEnabled: processesVideos },
    quotas: {
      pendingBytes: config.pendingBytes,
      userBytes: config.userQuotaBytes,
      serverBytes: config.serverQuotaBytes,
    },
    serverUsage: rememberUsage(() => bytesOfServer(db, now()), now),
    completions: new UploadCompletions(),
  }
}

async function consumeAll(host: DatabaseHost, { now }: Context, { processesVideos }: Pick<Given, 'processesVideos'>) {
  const posted = { now, processesVideos }
  const profiles = 'evt.user.*.user_profile_updated'
  await host.consume({ durable: 'avatars', subject: profiles, on: onProfileUpdated })
  const server = 'evt.config.server.server_updated'
  await host.consume({ durable: 'branding', subject: server, on: onServerUpdated })
  for (const [durable, kind, on] of [
    ['posted', 'message_posted', onMessagePosted(posted)],
    ['imported', 'messages_imported', onMessagesImported(posted)],
    ['edited', 'message_edited', onMessageChanged],
    ['retracted', 'message_retracted', onMessageChanged],
  ] as const)
    await host.consumeBatches({ durable, subject: `evt.room.*.${kind}`, on })
}

function startSweeps(host: DatabaseHost, ctx: Context, everyMs: number): void {
  const { signal } = host
  host.use(deleteDoomedImages(ctx, { everyMs: Math.min(everyMs, 10_000), signal }))
  host.use(deleteDoomedAssets(ctx, { everyMs: Math.min(everyMs, 10_000), signal }))
  host.use(cleanUploads(ctx, { everyMs, signal }))
  host.use(cleanPreviews(ctx, { everyMs, signal }))
  host.use(expireAssets(ctx, { everyMs, signal }))
  host.use(sweepUnclaimed(ctx, { everyMs, signal }))
  host.use(sweepOrphans(ctx, { everyMs: everyMs * 12, signal }))
}

const present = (...secrets: (string | undefined)[]): string[] => secrets.filter((secret) => secret !== undefined)
