import { ServerDiscoveryService } from '@parley/contracts/discovery'
import { AccountsInternalService, SignInInternalService } from '@parley/contracts/internal'
import { openRedis, openCredentialAttempts } from '@parley/redis'
import { clientAddressBehind } from '@parley/runtime'
import type { Host } from '@parley/service'
import { followCallers } from './actions/credentials/follow-callers.ts'
import { SessionRenewal } from './actions/credentials/renewal.ts'
import { openCallLimits } from './actions/forward/call-limits.ts'
import { Forwarder } from './actions/forward/forward.ts'
import { blobClient } from './clients/blobs.ts'
import { cacheServerDescription } from './clients/server.ts'
import type { Config } from './config.ts'
import type { AuthContext } from './http/auth/context.ts'
import { openSignInLimits } from './http/auth/limits.ts'
import { sessionCookies } from './http/cookies.ts'
import { createMetrics } from './metrics.ts'

export type Context = Awaited<ReturnType<typeof openContext>>

export async function openContext(host: Host, config: Config) {
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
  const clientAddress = clientAddressBehind(config.trustedProxies, { onUnlistedProxy: metrics.reportUntrustedProxy })
  const limits = host.use(openCallLimits(redis, config))
  const credentialAttempts = host.use(openCredentialAttempts({ redis, perMinute: config.unauthenticatedPerMinute }))
  const uploadsUrls = config.uploadsUrls.length > 0 ? config.uploadsUrls : config.assetsUrls
  const putBlob = host.use(blobClient({ urls: uploadsUrls, secret: config.blobSecret }))
  const forwarder = new Forwarder({
    ...{ rpc: host.rpc, callers, secrets, renewal, limits, credentialAttempts, clientAddress, putBlob },
    maxUploadBytes: config.maxUploadBytes,
    cookiesOf: (session) => sessionCookies(session, { secret: cookieSigningSecret, secure }),
  })
  const getServer = () => discovery.getServer({})
  const auth: AuthContext = {
    ...secrets,
    ...{ accounts, signIn, callers, renewal, limits, metrics, secure, clientAddress },
    ...openSignInLimits(redis, config),
    describeServer: cacheServerDescription(getServer),
    publicUrl: config.publicUrl,
    allowedOrigins: config.allowedOrigins,
    oauthRedirectOrigins: config.oauthRedirectOrigins,
  }
  return { metrics, secrets, clientAddress, forwarder, auth, getServer }
}
