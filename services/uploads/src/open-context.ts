import { isForwardedByGateway } from '@parley/credentials'
import {
  AccountsInternalService,
  AdminInternalService,
  MessagingInternalService,
  RoomsInternalService,
} from '@parley/contracts/internal'
import { NameResolver, publicExcept, type Resolve } from '@parley/outbound'
import { openCredentialAttempts } from '@parley/redis'
import { clientAddressBehind } from '@parley/runtime'
import type { DatabaseHost } from '@parley/service'
import { UploadCompletions } from './actions/files/upload-completions.ts'
import { cacheServerUsage } from './actions/files/server-usage.ts'
import { PageFetches } from './actions/previews/page-fetches.ts'
import { callersAt } from './clients/callers.ts'
import { FileReferences } from './clients/file-references.ts'
import { RoomAccess } from './clients/room-access.ts'
import type { Config } from './config.ts'
import type { Context } from './context.ts'
import type { MemoryPlan } from './domain/memory.ts'
import { safeFetch } from './engines/fetch/index.ts'
import { openImageProcessor, openRenderingLimit, TransformCache } from './engines/images/index.ts'
import { openStorage } from './engines/storage/index.ts'
import { sumServerBytes } from './store/usage.ts'

export type TestOverrides = {
  now?: () => Date
  resolve?: Resolve
}

type Parts = { config: Config; overrides: TestOverrides; memory: MemoryPlan; processesVideos: boolean }

export async function openContext(host: DatabaseHost, parts: Parts): Promise<Context> {
  const { config, overrides, memory, processesVideos } = parts
  const { db } = host
  const storage = await openStorage(config.assetStorage, host, host.signal)
  host.ready('storage')
  const accounts = host.client(AccountsInternalService)
  const admin = host.client(AdminInternalService)
  const policy = await host.policy(admin)
  const now = overrides.now ?? (() => new Date())
  // One name per user is resolved at a time. Three more may wait, since messaging allows each user four fetches.
  const names = host.use(new NameResolver({ maxWaitingPerCaller: 3 }))
  return {
    ...{ db, storage, now },
    relay: await host.relay(),
    policy: () => policy.current(),
    rooms: new RoomAccess(host.client(RoomsInternalService)),
    fileReferences: new FileReferences({ accounts, admin, messaging: host.client(MessagingInternalService) }),
    imageProcessor: openImageProcessor({ atOnce: memory.imagesAtOnce }),
    transforms: new TransformCache(memory.transformCacheBytes),
    renderingLimit: host.use(
      openRenderingLimit({ perHour: config.renderingsPerHour, perNetworkAndHour: config.renderingsPerNetwork }),
    ),
    fetch: safeFetch({
      isAllowed: config.fetchPrivate ? () => true : publicExcept(config.privateNetworks),
      resolve: overrides.resolve ?? names.resolve,
    }),
    pages: new PageFetches(host.signal),
    callers: callersAt(accounts, now),
    credentialSecrets: config,
    clientAddress: clientAddressBehind(config.trustedProxies, {
      isForwarded: (header) => isForwardedByGateway(config, header),
    }),
    credentialAttempts: host.use(openCredentialAttempts({ perMinute: config.unauthenticatedPerMinute })),
    allowedOrigins: config.allowedOrigins,
    blobSecrets: definedSecrets(config.blobSecret, config.previousBlobSecret),
    signingSecrets: definedSecrets(config.assetsSigningSecret, config.previousAssetsSigningSecret),
    assets: { publicUrl: config.publicUrl, signingSecret: config.assetsSigningSecret },
    fileLimits: { ...config, videoEnabled: processesVideos },
    quotas: {
      pendingBytes: config.pendingBytes,
      userBytes: config.userQuotaBytes,
      serverBytes: config.serverQuotaBytes,
    },
    serverUsage: cacheServerUsage(() => sumServerBytes(db, now()), now),
    completions: new UploadCompletions(),
  }
}

const definedSecrets = (...secrets: (string | undefined)[]): string[] =>
  secrets.filter((secret) => secret !== undefined)
