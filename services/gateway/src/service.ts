import type { Client } from '@connectrpc/connect'
import { CallerCache, callerFrom, forwardedHeaders } from '@parley/credentials'
import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { AccountsInternalService, SignInInternalService } from '@parley/contracts/internal'
import { followControl } from '@parley/events'
import { openRedis, openTrials } from '@parley/redis'
import { clientAddressBehind, headerOf, trustedProxies, usualPatience, type Service } from '@parley/runtime'
import { startHost, type Host } from '@parley/service'
import { blobClient } from './clients/blobs.ts'
import { serverDescription } from './clients/server.ts'
import type { Config } from './config.ts'
import { SessionRenewal } from './actions/credentials/renewal.ts'
import { openCallLimits } from './actions/forward/call-limits.ts'
import { Forwarder } from './actions/forward/forward.ts'
import { ImageDoor } from './actions/forward/image-door.ts'
import { signInLimits } from './http/auth/limits.ts'
import { sessionCookies } from './http/cookies.ts'
import { Dispatch } from './http/dispatch.ts'
import { ByteBudget } from './http/held-bytes.ts'
import type { Forwarded } from './http/hop-by-hop.ts'
import { PassOnUpgrade } from './http/pass-on-upgrade.ts'
import { PassOn } from './http/pass-on.ts'
import { servePublicPort } from './http/server.ts'
import { readClientFiles } from './http/web-client/files.ts'
import { WebClient } from './http/web-client/web-client.ts'
import { createMetrics, type Metrics } from './metrics.ts'

type Accounts = Client<typeof AccountsInternalService>

/** Images of calls that one process holds in memory at the same time. */
const imagesAtOnce = 4

/** Starts the deployable; requests under way finish before it closes. */
export function startGateway(config: Config, overrides: { stop?: AbortSignal } = {}): Promise<Service> {
  const { stop } = overrides
  return startHost({ name: 'gateway', config, waitsFor: ['control feed'], stop }, (host) => compose(host, config))
}

async function compose(host: Host, config: Config): Promise<void> {
  const { health, rpc } = host
  const metrics = createMetrics()
  const redis = host.use(openRedis({ url: config.redisUrl, name: 'gateway' }))
  const accounts = host.client(AccountsInternalService)
  const signIn = host.client(SignInInternalService)
  const discovery = host.client(ServerDiscoveryService)
  const callers = await followCallers(host, accounts, metrics)

  const { secretKey, previousSecretKey, cookieSigningSecret, previousCookieSigningSecret } = config
  const secrets = { secretKey, previousSecretKey, cookieSigningSecret, previousCookieSigningSecret }
  const secure = config.publicUrl.startsWith('https:')
  const renewal = new SessionRenewal({ rotate: (digest) => signIn.rotateSession({ digest }) })
  const clientAddress = clientAddressBehind(config.trustedProxies, { onForgottenProxy: metrics.forgottenProxy })
  const limits = host.use(openCallLimits(redis, config))
  const trials = host.use(openTrials({ redis, perMinute: config.trialsPerMinute }))
  const uploadsUrls = config.uploadsUrls.length > 0 ? config.uploadsUrls : config.assetsUrls
  const putBlob = host.use(blobClient({ urls: uploadsUrls, secret: config.blobSecret }))
  const forwarder = new Forwarder({
    ...{ rpc, callers, secrets, renewal, limits, trials, clientAddress, putBlob },
    maxUploadBytes: config.maxUploadBytes,
    cookiesOf: (session) => sessionCookies(session, { secret: cookieSigningSecret, secure }),
  })
  const passing = passOns(host, config, (request) =>
    forwardedHeaders(
      secrets,
      clientAddress(request.socket.remoteAddress, (name) => headerOf(request, name)),
    ),
  )
  const webClient = new WebClient(await readClientFiles(config.clientFolder), config.publicUrl)
  if (!webClient.isThere) metrics.noWebClient(config.clientFolder)
  const dispatch = new Dispatch({
    ...config,
    compressionMinBytes: config.compression ? config.compressionMinBytes : 0,
    forwarder,
    images: new ImageDoor(imagesAtOnce),
    budget: new ByteBudget({ total: config.heldBytes, perNetwork: config.heldBytesPerAddress }),
    clientAddress,
    health,
    metrics,
    auth: {
      ...secrets,
      ...{ accounts, signIn, callers, renewal, limits, metrics, secure },
      ...signInLimits(redis, config),
      describeServer: serverDescription(() => discovery.getServer({})),
      clientAddress,
      publicUrl: config.publicUrl,
      allowedOrigins: config.allowedOrigins,
      oauthRedirectOrigins: config.oauthRedirectOrigins,
    },
    getServer: () => discovery.getServer({}),
    ...{ assets: passing.assets, webhooks: passing.webhooks },
    webClient,
  })
  const publicPort = await servePublicPort({
    ...{ host: config.host, port: config.port, dispatch, realtime: passing.realtime },
    // A call may take long while nothing moves on its connection.
    patience: { ...usualPatience, idle: Math.max(usualPatience.idle, 2 * config.requestTimeoutMs) },
    connections: { perNetwork: config.connectionsPerAddress, isProxy: trustedProxies(config.trustedProxies) },
  })
  host.url = `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${publicPort.port}`
  host.onDrain('public port', () => publicPort.drain(config.drainTimeoutMs))
}

/** What other deployables answer clients themselves. */
function passOns(host: Host, { assetsUrls, webhooksUrls, realtimeUrls }: Config, forwarded: Forwarded) {
  return {
    assets: host.use(new PassOn({ what: 'assets', targets: assetsUrls, methods: ['GET', 'HEAD'], forwarded })),
    webhooks: host.use(new PassOn({ what: 'webhooks', targets: webhooksUrls, methods: ['POST'], forwarded })),
    realtime: new PassOnUpgrade(realtimeUrls, forwarded),
  }
}

/** Credentials are kept until something is heard of their user. */
async function followCallers(host: Host, accounts: Accounts, metrics: Metrics): Promise<CallerCache> {
  const callers = new CallerCache({
    authenticate: async (digest) => {
      const { entries } = await accounts.authenticate({ digests: [digest] })
      const caller = entries[0]?.caller
      return caller && callerFrom(caller)
    },
    rekey: (entry) => accounts.rekeyCredentials({ entries: [entry] }),
    feedSilentMs: () => feed.healthyAgoMs(),
  })
  const feed = host.use(
    await followControl({
      bus: host.events,
      onEvent: (event) => callers.observe(event),
      onReset: () => {
        metrics.feedLost()
        callers.clear()
      },
    }),
  )
  host.ready('control feed')
  return callers
}
