import { isForwardedByGateway } from '@parley/credentials'
import {
  AccountsInternalService,
  AdminInternalService,
  RoomsInternalService,
  type Event,
} from '@parley/contracts/internal'
import { followEvents, presenceHints, typingHints } from '@parley/events'
import { newId } from '@parley/ids'
import { openTrials } from '@parley/redis'
import { clientAddressBehind, retry, serverVersion, type Service } from '@parley/runtime'
import { startHost, type Host } from '@parley/service'
import { accountsClient } from './clients/accounts.ts'
import { roomsClient } from './clients/rooms.ts'
import type { Config } from './config.ts'
import { Hub } from './engines/hub/hub.ts'
import { Intake } from './engines/hub/intake.ts'
import { NodePolicy } from './engines/hub/node-policy.ts'
import { Opening } from './engines/hub/opening.ts'
import { PresenceHints } from './engines/hub/presence-hints.ts'
import type { Subscriber } from './engines/hub/subscriber.ts'
import { topics } from './engines/hub/topics.ts'
import { traced } from './engines/hub/traced.ts'
import { TypingHints } from './engines/hub/typing-hints.ts'
import { createSocketSweep } from './jobs/sweep-sockets.ts'
import { drainSockets } from './jobs/drain-sockets.ts'
import { verifySessions } from './jobs/verify-sessions.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { digestsToTry, readPresented } from './ws/credentials.ts'
import { heartbeatFrame } from './ws/server-frames.ts'
import { serveSockets } from './ws/server.ts'

/** What a test may replace, and the signal that gives up starting. */
export type Overrides = { stop?: AbortSignal }

const untilItAnswers = { initialMs: 50, maxMs: 2_000 }

/** Starts the deployable; its sockets are let go, spread over a while, before it closes. */
export function startRealtime(config: Config, overrides: Overrides = {}): Promise<Service> {
  const { stop } = overrides
  const waitsFor = ['policy and universal rooms']
  const drainTimeoutMs = Math.max(config.drainTimeoutMs, config.drainWindowMs)
  return startHost({ name: 'realtime', config, waitsFor, drainTimeoutMs, stop }, (host) => compose(host, config))
}

async function compose(host: Host, config: Config): Promise<void> {
  const { signal } = host
  const metrics = createMetrics()
  const admin = host.client(AdminInternalService)
  const neighbours: Neighbours = {
    accounts: accountsClient(host.client(AccountsInternalService)),
    rooms: roomsClient(host.client(RoomsInternalService)),
    policy: new NodePolicy(() => admin.getPolicy({}), signal),
  }
  const server = await openSockets(host, config, { ...neighbours, metrics })
  const { hub } = server.context
  neighbours.policy.onChange(() => hub.policyChanged())
  host.use(metrics.sockets(() => hub.connections.size))

  const load = async (): Promise<void> => {
    await Promise.all([neighbours.policy.reload(), loadUniversalRooms(hub, neighbours.rooms, signal)])
  }
  const intake = await followAll(host, server, { ...neighbours, metrics, load })
  hearHints(host, server, { intake, metrics })
  host.background(
    load().then(() => {
      server.startAccepting()
      host.ready('policy and universal rooms')
    }),
  )
  keepSockets(host, server, { config, accounts: neighbours.accounts })
  host.url = `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${server.port}`
  host.onDrain('sockets', async () => {
    server.stopAccepting()
    await drainSockets(hub.connections, config.drainWindowMs)
  })
}

type Neighbours = {
  accounts: ReturnType<typeof accountsClient>
  rooms: ReturnType<typeof roomsClient>
  policy: NodePolicy
}
type Server = Awaited<ReturnType<typeof openSockets>>

/** The port for sockets, which accepts nobody yet, with the hub that their frames come from. */
async function openSockets(host: Host, config: Config, given: Neighbours & { metrics: Metrics }) {
  const { accounts, rooms, policy, metrics } = given
  const verify = (sockets: readonly Subscriber[]): void => host.background(verifyInTime(sockets, accounts, host.signal))
  const clientAddress = clientAddressBehind(config.trustedProxies, {
    isPassedOn: (header) => isForwardedByGateway(config, header),
  })
  const trials = host.use(openTrials({ perMinute: config.trialsPerMinute }))
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
        ...{ hub, metrics, serverVersion, trials },
        opening: host.use(new Opening({ hub, accounts, rooms, metrics })),
        heartbeatIntervalMs: config.heartbeatIntervalMs,
        handshakeTimeoutMs: config.handshakeTimeoutMs,
        socketsPerPerson: config.socketsPerPerson,
        digests: (bearerToken, presented) => digestsToTry(config, bearerToken, presented),
        retryAfterMs: () => Math.round(1_000 + Math.random() * 4_000),
      }
    },
  )
  host.defer('socket server', () => server.close())
  host.use(server.context.hub)
  return server
}

const verifyInTime = (sockets: readonly Subscriber[], accounts: Neighbours['accounts'], signal: AbortSignal) =>
  retry(() => verifySessions(sockets, accounts), { signal, initialMs: 100, maxMs: 5_000 })

async function loadUniversalRooms(hub: Hub, rooms: Neighbours['rooms'], signal: AbortSignal): Promise<void> {
  const universal = await retry(() => rooms.universalRooms(), { signal, ...untilItAnswers })
  for (const room of universal) hub.access.universal.set(room)
}

type Following = Neighbours & { metrics: Metrics; load: () => Promise<void> }

/** Everything that is announced, handed to sockets batch by batch. */
async function followAll(host: Host, { context }: Server, given: Following): Promise<Intake> {
  const { hub, opening } = context
  const { policy, metrics, load } = given
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
  const intake = host.use(
    new Intake((events, streamSequence) => {
      for (const event of events) take(event, streamSequence)
    }),
  )
  host.use(
    await followEvents({
      bus: host.events,
      subject: 'evt.>',
      onEvents: (events, { seq }) => intake.add(events, seq),
      onReset: () => {
        metrics.streamReset()
        intake.flush()
        hub.reset()
        host.background(load().then(() => hub.reset()))
      },
    }),
  )
  return intake
}

/** What is said beside the stream: who is there, and who types. */
function hearHints(host: Host, server: Server, { intake, metrics }: { intake: Intake; metrics: Metrics }): void {
  const { hub } = server.context
  const { publish, subscribers } = server
  const unreadable = metrics.hintUnreadable
  const { users } = hub.access
  const presence = host.use(new PresenceHints({ publish, users, unreadable }))
  const typing = host.use(
    new TypingHints({
      ...{ publish, subscribers, unreadable },
      ...{ users, hintTopics: hub.hintTopics },
      catchUp: () => intake.flush(),
    }),
  )
  for (const [subject, hints] of [
    [presenceHints, presence],
    [typingHints, typing],
  ] as const) {
    const hearing = host.calls.nc.subscribe(subject, {
      callback: (error, message) => {
        if (!error) hints.take(message.data)
      },
    })
    host.defer(`hints of ${subject}`, () => hearing.unsubscribe())
  }
}

/** What comes round for all sockets: those that fell silent go, the others hear that the node lives. */
function keepSockets(host: Host, server: Server, given: Pick<Neighbours, 'accounts'> & { config: Config }): void {
  const { config, accounts } = given
  const { hub } = server.context
  const sweep = createSocketSweep({
    handshaking: server.handshaking,
    connections: hub.connections,
    slowBytes: config.maxBackpressureBytes / 2,
  })
  host.every({
    ...{ name: 'sweep sockets', everyMs: 2_000 },
    run: () => {
      sweep(performance.now())
      hub.hintTopics.control(hub.access.users.values())
      if (server.handshaking.size + hub.connections.size > 0) return 1_000
    },
  })
  host.every({
    ...{ name: 'heartbeat', everyMs: config.heartbeatIntervalMs },
    run: async () => server.publish(topics.everyone, heartbeatFrame(newId('event'), new Date())),
  })
  host.every({
    ...{ name: 'verify sessions', everyMs: config.verifyIntervalMs },
    run: () => verifySessions(hub.connections, accounts),
  })
}
