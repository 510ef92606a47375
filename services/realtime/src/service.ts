import { createClient } from '@connectrpc/connect'
import { isForwardedByGateway } from '@parley/auth'
import {
  AccountsInternalService,
  AdminInternalService,
  RoomsInternalService,
  type Event,
} from '@parley/contracts/internal'
import { followEvents, presenceHints, typingHints } from '@parley/events'
import { newId } from '@parley/ids'
import { openTrials } from '@parley/redis'
import { connectBus, createRpcClient, type RpcClient } from '@parley/rpc'
import {
  clientAddressBehind,
  Health,
  periodically,
  Resources,
  retry,
  serveInternal,
  serverVersion,
  type Service,
} from '@parley/runtime'
import { accountsClient } from './clients/accounts.ts'
import { roomsClient } from './clients/rooms.ts'
import type { Config } from './config.ts'
import { Hub } from './hub/hub.ts'
import { Intake } from './hub/intake.ts'
import { NodePolicy } from './hub/node-policy.ts'
import { Opening } from './hub/opening.ts'
import { PresenceHints } from './hub/presence-hints.ts'
import type { Subscriber } from './hub/subscriber.ts'
import { topics } from './hub/topics.ts'
import { traced } from './hub/traced.ts'
import { TypingHints } from './hub/typing-hints.ts'
import { createSocketSweep } from './jobs/sweep-sockets.ts'
import { drainSockets } from './jobs/drain-sockets.ts'
import { verifySessions } from './jobs/verify-sessions.ts'
import { createMetrics } from './metrics.ts'
import { digestsToTry, readPresented } from './ws/credentials.ts'
import { heartbeatFrame } from './ws/server-frames.ts'
import { serveSockets } from './ws/server.ts'

/** What a test may replace, and the signal that gives up starting. */
export type Overrides = { stop?: AbortSignal }

/** Opens everything in dependency order; disposing the result drains the sockets and closes it in reverse. */
export async function startRealtime(config: Config, overrides: Overrides = {}): Promise<Service> {
  await using opened = new Resources()
  const closing = new AbortController()
  const signal = overrides.stop ? AbortSignal.any([closing.signal, overrides.stop]) : closing.signal
  const health = new Health()
  const busAnswers = health.startup('nats')
  const complete = health.startup('policy and universal rooms')
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))
  const metrics = createMetrics()

  const bus = { url: config.natsUrl, user: config.natsUser, password: config.natsPassword, name: 'realtime', signal }
  const rpcBus = opened.use(await connectBus({ ...bus, purpose: 'rpc' }))
  const eventBus = opened.use(await connectBus({ ...bus, purpose: 'events' }))
  busAnswers()
  const rpc: RpcClient = opened.use(createRpcClient(rpcBus, { name: 'realtime' }))
  const accounts = accountsClient(createClient(AccountsInternalService, rpc.transport()))
  const rooms = roomsClient(createClient(RoomsInternalService, rpc.transport()))
  const admin = createClient(AdminInternalService, rpc.transport())

  const policy = new NodePolicy(() => admin.getPolicy({}), signal)
  const verify = (sockets: readonly Subscriber[]): void => {
    const asking = retry(() => verifySessions(sockets, accounts), { signal, initialMs: 100, maxMs: 5_000 })
    asking.catch(() => undefined) // only rejects when the node stops
  }
  const clientAddress = clientAddressBehind(config.trustedProxies, {
    isPassedOn: (header) => isForwardedByGateway(config, header),
  })
  const trials = opened.use(openTrials({ perMinute: config.trialsPerMinute }))
  const server = await serveSockets(
    {
      host: config.host,
      port: config.port,
      maxBackpressureBytes: config.maxBackpressureBytes,
      presented: (upgrade) => readPresented(upgrade, { ...config, clientAddress }),
    },
    (publish) => {
      const hub = new Hub({ publish, policy: () => policy.current(), verify, metrics })
      return {
        hub,
        opening: opened.use(new Opening({ hub, accounts, rooms, metrics })),
        metrics,
        serverVersion,
        heartbeatIntervalMs: config.heartbeatIntervalMs,
        handshakeTimeoutMs: config.handshakeTimeoutMs,
        socketsPerPerson: config.socketsPerPerson,
        trials,
        digests: (bearerToken, presented) => digestsToTry(config, bearerToken, presented),
        retryAfterMs: () => Math.round(1_000 + Math.random() * 4_000),
      }
    },
  )
  opened.defer('socket server', () => server.close())
  const { hub, opening } = server.context
  opened.use(hub)
  policy.onChange(() => hub.policyChanged())
  opened.use(metrics.sockets(() => hub.connections.size))

  const take = (event: Event, streamSequence: number): void => {
    try {
      traced(event, () => {
        policy.apply(event)
        opening.observe(event)
        hub.deliver(event, streamSequence)
      })
    } catch (error) {
      // Whom it gave or took access is unknown.
      metrics.eventFailed(event, error)
      hub.reset()
    }
  }
  const intake = opened.use(
    new Intake((events, streamSequence) => {
      for (const event of events) take(event, streamSequence)
    }),
  )
  const loadUniversalRooms = async () => {
    const universal = await retry(() => rooms.universalRooms(), { signal, initialMs: 50, maxMs: 2_000 })
    for (const room of universal) hub.access.universal.set(room)
  }
  opened.use(
    await followEvents({
      bus: eventBus,
      subject: 'evt.>',
      onEvents: (events, { seq }) => intake.add(events, seq),
      onReset: () => {
        metrics.streamReset()
        intake.flush()
        hub.reset()
        void Promise.all([policy.reload(), loadUniversalRooms()]).then(
          () => hub.reset(),
          () => undefined,
        )
      },
    }),
  )
  const hints = opened.use(
    new PresenceHints({
      publish: server.publish,
      isDeserted: () => hub.connections.size === 0,
      unreadable: metrics.hintUnreadable,
    }),
  )
  const hearing = rpcBus.nc.subscribe(presenceHints, {
    callback: (error, message) => {
      if (!error) hints.take(message.data)
    },
  })
  opened.defer('hints', () => hearing.unsubscribe())
  const typing = opened.use(
    new TypingHints({
      ...{ publish: server.publish, subscribers: server.subscribers },
      ...{ users: hub.access.users, hintTopics: hub.hintTopics },
      catchUp: () => intake.flush(),
      unreadable: metrics.hintUnreadable,
    }),
  )
  const hearingTyping = rpcBus.nc.subscribe(typingHints, {
    callback: (error, message) => {
      if (!error) typing.take(message.data)
    },
  })
  opened.defer('typing hints', () => hearingTyping.unsubscribe())
  opened.defer('background work', () => closing.abort())

  void Promise.all([policy.reload(), loadUniversalRooms()]).then(
    () => {
      server.startAccepting()
      complete()
    },
    () => undefined,
  )

  const sweep = createSocketSweep({
    handshaking: server.handshaking,
    connections: hub.connections,
    slowBytes: config.maxBackpressureBytes / 2,
  })
  opened.use(
    periodically({
      name: 'sweep sockets',
      everyMs: 2_000,
      signal,
      run: () => {
        sweep(performance.now())
        hub.hintTopics.control(hub.access.users.values())
        if (server.handshaking.size + hub.connections.size > 0) return 1_000
      },
    }),
  )
  opened.use(
    periodically({
      name: 'heartbeat',
      everyMs: config.heartbeatIntervalMs,
      signal,
      run: async () => server.publish(topics.everyone, heartbeatFrame(newId('event'), new Date())),
    }),
  )
  opened.use(
    periodically({
      name: 'verify sessions',
      everyMs: config.verifyIntervalMs,
      signal,
      run: () => verifySessions(hub.connections, accounts),
    }),
  )
  opened.defer('sockets', async () => {
    health.drain()
    server.stopAccepting()
    await drainSockets(hub.connections, config.drainWindowMs)
  })

  return Object.assign(opened.move(), {
    internalPort: internal.port,
    url: `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${server.port}`,
    drainTimeoutMs: Math.max(config.drainTimeoutMs, config.drainWindowMs),
  })
}
