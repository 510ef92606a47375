import { forwardedHeaders } from '@parley/credentials'
import { headerOf, trustedProxies, defaultTimeouts } from '@parley/runtime'
import type { Host } from '@parley/service'
import { ImageSlots } from '../actions/forward/image-slots.ts'
import type { Config } from '../config.ts'
import type { Context } from '../open-context.ts'
import { Dispatch } from './dispatch.ts'
import { ByteBudget } from './held-bytes.ts'
import type { DescribeClient } from './hop-by-hop.ts'
import { WebSocketProxy } from './websocket-proxy.ts'
import { HttpProxy } from './http-proxy.ts'
import { servePublicPort, type PublicPort } from './server.ts'
import { readClientFiles } from './web-client/files.ts'
import { WebClient } from './web-client/web-client.ts'

const imagesAtOnce = 4

export async function openPublicPort(host: Host, config: Config, context: Context): Promise<PublicPort> {
  const { metrics, secrets, clientAddress, forwarder, auth, getServer } = context
  const { realtime, ...proxies } = createProxies(host, config, (request) =>
    forwardedHeaders(
      secrets,
      clientAddress(request.socket.remoteAddress, (name) => headerOf(request, name)),
    ),
  )
  const webClient = new WebClient(await readClientFiles(config.clientFolder), config.publicUrl)
  if (!webClient.isBuilt) metrics.reportMissingWebClient(config.clientFolder)
  const dispatch = new Dispatch({
    ...config,
    compressionMinBytes: config.compression ? config.compressionMinBytes : 0,
    images: new ImageSlots(imagesAtOnce),
    budget: new ByteBudget({ total: config.heldBytes, perNetwork: config.heldBytesPerAddress }),
    ...{ forwarder, clientAddress, health: host.health, metrics, auth, getServer, webClient },
    ...proxies,
  })
  return await servePublicPort({
    ...{ host: config.host, port: config.port, dispatch, realtime },
    // The connection of a long call may be idle.
    timeouts: { ...defaultTimeouts, idle: Math.max(defaultTimeouts.idle, 2 * config.requestTimeoutMs) },
    connections: { perNetwork: config.connectionsPerAddress, isProxy: trustedProxies(config.trustedProxies) },
  })
}

function createProxies(host: Host, { assetsUrls, webhooksUrls, realtimeUrls }: Config, describeClient: DescribeClient) {
  return {
    assets: host.use(new HttpProxy({ what: 'assets', targets: assetsUrls, methods: ['GET', 'HEAD'], describeClient })),
    webhooks: host.use(new HttpProxy({ what: 'webhooks', targets: webhooksUrls, methods: ['POST'], describeClient })),
    realtime: new WebSocketProxy(realtimeUrls, describeClient),
  }
}
