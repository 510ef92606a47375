import { createClient } from '@connectrpc/connect'
import { CallerCache, callerFrom, forwardedHeaders } from '@parley/auth'
import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { AccountsInternalService, SignInInternalService } from '@parley/contracts/internal'
import { followControl } from '@parley/events'
import { openRedis, openTrials } from '@parley/redis'
import { connectBus, createRpcClient } from '@parley/rpc'
import {
  clientAddressBehind,
  headerOf,
  Health,
  Resources,
  serveInternal,
  trustedProxies,
  usualPatience,
  type Service,
} from '@parley/runtime'
import { blobClient } from './clients/blobs.ts'
import { serverDescription } from './clients/server.ts'
import type { Config } from './config.ts'
import { SessionRenewal } from './credentials/renewal.ts'
import { openCallLimits } from './forward/call-limits.ts'
import { Forwarder } from './forward/forward.ts'
import { ImageDoor } from './forward/image-door.ts'
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
import { createMetrics } from './metrics.ts'

/** Images of calls that one process holds in memory at the same time. */
const imagesAtOnce = 4

/** Opens everything in dependency order; disposing the result lets requests under way finish and closes it in reverse. */
export async function startGateway(config: Config): Promise<Service> {
  await using opened = new Resources()
  const health = new Health()
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))
  const metrics = createMetrics()

  const busOptions = { url: config.natsUrl, user: config.natsUser, password: config.natsPassword, name: 'gateway' }
  const rpcBus = opened.use(await connectBus({ ...busOptions, purpose: 'rpc' }))
  const eventBus = opened.use(await connectBus({ ...busOptions, purpose: 'events' }))
  const redis = opened.use(openRedis({ url: config.redisUrl, name: 'gateway' }))
  const rpc = opened.use(createRpcClient(rpcBus, { name: 'gateway' }))
  const transport = rpc.transport()
  const accounts = createClient(AccountsInternalService, transport)
  const signIn = createClient(SignInInternalService, transport)
  const discovery = createClient(ServerDiscoveryService, transport)

  const callers = new CallerCache({
    authenticate: async (digest) => {
      const { entries } = await accounts.authenticate({ digests: [digest] })
      const caller = entries[0]?.caller
      return caller && callerFrom(caller)
    },
    rekey: (entry) => accounts.rekeyCredentials({ entries: [entry] }),
    feedSilentMs: () => feed.healthyAgoMs(),
  })
  const following = health.startup('control feed')
  const feed = opened.use(
    await followControl({
      bus: eventBus,
      onEvent: (event) => callers.observe(event),
      onReset: () => {
        metrics.feedLost()
        callers.clear()
      },
    }),
  )
  following()

  const { secretKey, previousSecretKey, cookieSigningSecret, previousCookieSigningSecret } = config
  const secrets = { secretKey, previousSecretKey, cookieSigningSecret, previousCookieSigningSecret }
  const secure = config.publicUrl.startsWith('https:')
  const renewal = new SessionRenewal({ rotate: (digest) => signIn.rotateSession({ digest }) })
  const clientAddress = clientAddressBehind(config.trustedProxies, { onForgottenProxy: metrics.forgottenProxy })
  const limits = opened.use(openCallLimits(redis, config))
  const trials = opened.use(openTrials({ redis, perMinute: config.trialsPerMinute }))
  const uploadsUrls = config.uploadsUrls.length > 0 ? config.uploadsUrls : config.assetsUrls
  const putBlob = opened.use(blobClient({ urls: uploadsUrls, secret: config.blobSecret }))
  const forwarder = new Forwarder({
    ...{ rpc, callers, secrets, renewal, limits, trials, clientAddress, putBlob },
    maxUploadBytes: config.maxUploadBytes,
    cookiesOf: (session) => sessionCookies(session, { secret: cookieSigningSecret, secure }),
  })
  const forwarded: Forwarded = (request) =>
    forwardedHeaders(
      secrets,
      clientAddress(request.socket.remoteAddress, (name) => headerOf(request, name)),
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
    assets: opened.use(new PassOn({ what: 'assets', targets: config.assetsUrls, methods: ['GET', 'HEAD'], forwarded })),
    webhooks: opened.use(new PassOn({ what: 'webhooks', targets: config.webhooksUrls, methods: ['POST'], forwarded })),
    webClient,
  })
  const realtime = new PassOnUpgrade(config.realtimeUrls, forwarded)
  const publicPort = await servePublicPort({
    ...{ host: config.host, port: config.port, dispatch, realtime },
    // A call may take long while nothing moves on its connection.
    patience: { ...usualPatience, idle: Math.max(usualPatience.idle, 2 * config.requestTimeoutMs) },
    connections: { perNetwork: config.connectionsPerAddress, isProxy: trustedProxies(config.trustedProxies) },
  })
  opened.defer('public port', async () => {
    health.drain()
    await publicPort.drain(config.drainTimeoutMs)
  })

  const closing = opened.move()
  return {
    internalPort: internal.port,
    url: `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${publicPort.port}`,
    [Symbol.asyncDispose]: () => closing[Symbol.asyncDispose](),
  }
}
