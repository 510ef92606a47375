import { createClient } from '@connectrpc/connect'
import { AccountsInternalService, MessagingInternalService, RoomsInternalService } from '@parley/contracts/internal'
import { consumeEvents, refuseErased, startErasures, startHandOver } from '@parley/events'
import { openDatabase } from '@parley/postgres'
import { connectBus, createRpcClient, serveRpc } from '@parley/rpc'
import { Health, periodically, Resources, retry, serveHttp, serveInternal, type Service } from '@parley/runtime'
import { endCalls } from './calls/end-calls.ts'
import { Profiles } from './clients/profiles.ts'
import { RoomAccess } from './clients/room-access.ts'
import type { Config } from './config.ts'
import { onAccountDeleted, onCredentialsEnded } from './consumers/on-account-gone.ts'
import { onMemberGone } from './consumers/on-member-gone.ts'
import { onRoomNarrowed } from './consumers/on-room-narrowed.ts'
import type { Context } from './context.ts'
import { erasePerson } from './erasure/erase-person.ts'
import { handleRequests } from './http/routes.ts'
import { compareCalls } from './jobs/compare-calls.ts'
import { forgetCalls } from './jobs/forget-calls.ts'
import { Chores } from './livekit/chores.ts'
import { MediaServer } from './livekit/media-server.ts'
import { routes } from './rpc/index.ts'

export type Overrides = {
  /** Gives up starting. */
  stop?: AbortSignal
  now?: () => Date
  /** How often calls are compared with the media server. */
  compareEveryMs?: number
}

/** Opens everything in dependency order; disposing the result closes it in reverse. */
export async function startCalls(config: Config, overrides: Overrides = {}): Promise<Service> {
  await using opened = new Resources()
  const closing = new AbortController()
  const signal = AbortSignal.any([closing.signal, ...(overrides.stop ? [overrides.stop] : [])])
  const health = new Health()
  const databaseAnswers = health.startup('postgres')
  const busAnswers = health.startup('nats')
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))

  const database = opened.use(await openDatabase({ url: config.databaseUrl, pool: config.databasePool, name: 'calls' }))
  await retry(() => database.ping(), { signal, initialMs: 200, maxMs: 5000 })
  databaseAnswers()
  const { db } = database

  const bus = { url: config.natsUrl, user: config.natsUser, password: config.natsPassword, name: 'calls', signal }
  const events = opened.use(await connectBus({ ...bus, purpose: 'events' }))
  const rpc = opened.use(await connectBus({ ...bus, purpose: 'rpc' }))
  busAnswers()
  const transport = opened.use(createRpcClient(rpc, { name: 'calls' })).transport()
  const accounts = createClient(AccountsInternalService, transport)
  const messaging = createClient(MessagingInternalService, transport)

  const now = overrides.now ?? (() => new Date())
  const media = config.livekit && { settings: config.livekit, server: new MediaServer(config.livekit) }
  opened.use(
    startHandOver({
      ...{ db, service: 'calls' },
      apply: (roomId, given, stop) => messaging.applyRoomEvents({ roomId, events: given }, { signal: stop }),
    }),
  )
  if (media) opened.use(new Chores({ db, now }, media, { everyMs: 10_000, signal }))
  const ctx: Context = {
    db,
    rooms: new RoomAccess(createClient(RoomsInternalService, transport), db),
    profiles: new Profiles(accounts),
    media,
    now,
  }

  const consumer = { bus: events, db, service: 'calls' }
  for (const [durable, subject, handler] of [
    ['members-left', 'evt.room.*.user_left_room', { prepare: onMemberGone(ctx) }],
    ['members-banned', 'evt.room.*.member_banned', { prepare: onMemberGone(ctx) }],
    ['rooms-narrowed', 'evt.room.*.room_universal_changed', { prepare: onRoomNarrowed(ctx) }],
    ['accounts-deleted', 'evt.control.user.*.account_deleted', { on: onAccountDeleted(ctx) }],
    ['credentials-ended', 'evt.control.user.*.credentials_ended', { on: onCredentialsEnded(ctx) }],
  ] as const)
    opened.use(await consumeEvents({ ...consumer, durable, subject, ...handler }))
  opened.use(
    await startErasures({
      ...{ ...consumer, erase: erasePerson(ctx) },
      report: (report, stop) => accounts.reportErased({ ...report, service: 'calls' }, { signal: stop }),
    }),
  )
  const everyMs = overrides.compareEveryMs ?? 30_000
  // Calls from before they were switched off are nobody's.
  const endLeft = () => periodically({ name: 'end calls', everyMs, signal, run: (stop) => endCalls(ctx, stop) })
  opened.use(media ? compareCalls(ctx, media, { everyMs, signal }) : endLeft())
  opened.use(forgetCalls(ctx, { everyMs: 600_000, signal }))
  opened.defer('background work', () => closing.abort())

  const http = opened.use(
    await serveHttp({ host: config.httpHost, port: config.httpPort, handle: handleRequests(ctx) }),
  )
  opened.use(
    await serveRpc(rpc, {
      deployable: 'calls',
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
