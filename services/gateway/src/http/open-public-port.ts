import { forwardedHeaders } from '@parley/credentials'
import { headerOf, trustedProxies, defaultTimeouts } from '@parley/runtime'
import type { Host } from '@parley/service'
import { ImageDoor } from '../actions/forward/image-door.ts'
import type { Config } from '../config.ts'
import type { Context } from '../open-context.ts'
import { Dispatch } from './dispatch.ts'
import { ByteBudget } from './held-bytes.ts'
import type { Forwarded } from './hop-by-hop.ts'
import { PassOnUpgrade } from './pass-on-upgrade.ts'
import { PassOn } from './pass-on.ts'
import { servePublicPort, type PublicPort } from './server.ts'
import { readClientFiles } from './web-client/files.ts'
import { WebClient } from './web-client/web-client.ts'

/** Images of calls that one process holds in memory at the same time. */
const imagesAtOnce = 4

/** The port for everybody. */
export async function openPublicPort(host: Host, config: Config, context: Context): Promise<PublicPort> {
  const { metrics, secrets, clientAddress, forwarder, auth, getServer } = context
  const { realtime, ...passing } = passOns(host, config, (request) =>
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
    images: new ImageDoor(imagesAtOnce),
    budget: new ByteBudget({ total: config.heldBytes, perNetwork: config.heldBytesPerAddress }),
    ...{ forwarder, clientAddress, health: host.health, metrics, auth, getServer, webClient },
    ...passing,
  })
  return await servePublicPort({
    ...{ host: config.host, port: config.port, dispatch, realtime },
    // The connection of a long call may be idle.
    timeouts: { ...defaultTimeouts, idle: Math.max(defaultTimeouts.idle, 2 * config.requestTimeoutMs) },
    connections: { perNetwork: config.connectionsPerAddress, isProxy: trustedProxies(config.trustedProxies) },
  })
}

/** Requests that are forwarded to other deployables. */
function passOns(host: Host, { assetsUrls, webhooksUrls, realtimeUrls }: Config, forwarded: Forwarded) {
  return {
    assets: host.use(new PassOn({ what: 'assets', targets: assetsUrls, methods: ['GET', 'HEAD'], forwarded })),
    webhooks: host.use(new PassOn({ what: 'webhooks', targets: webhooksUrls, methods: ['POST'], forwarded })),
    realtime: new PassOnUpgrade(realtimeUrls, forwarded),
  }
}
