import { createClient } from '@connectrpc/connect'
import { AccountsInternalService, AdminInternalService, MessagingInternalService } from '@parley/contracts/internal'
import { consumeEvents, followPolicy, refuseErased, startErasures, startRelay } from '@parley/events'
import { openDatabase } from '@parley/postgres'
import { connectBus, createRpcClient, serveRpc } from '@parley/rpc'
import { Health, openReads, Resources, retry, serveInternal, type Service } from '@parley/runtime'
import { applyFacts } from './clients/messaging.ts'
import type { Config } from './config.ts'
import { onAccessEvent, onProfileEvent } from './consumers/people.ts'
import type { Context } from './context.ts'
import { erasePerson } from './erasure/erase-person.ts'
import { tooManyReads } from './errors.ts'
import { checkMessaging } from './jobs/check-messaging.ts'
import { endExpiredBans } from './jobs/end-expired-bans.ts'
import { fillPeople } from './jobs/fill-people.ts'
import { forgetOldAnswers } from './jobs/forget-answers.ts'
import { handOverLeftBehind } from './jobs/hand-over-left-behind.ts'
import { makeLobby } from './jobs/make-lobby.ts'
import { openLine } from './line/line.ts'
import { Turns } from './line/turns.ts'
import { routes } from './rpc/index.ts'
import { readDmKey } from './store/dm-ids.ts'

export type Overrides = {
  now?: () => Date
  /** How long the check of what messaging holds rests, per step of a walk. */
  checkRestMs?: number
  /** Gives up starting. */
  stop?: AbortSignal
}

/** Opens everything in dependency order; disposing the result closes it in reverse. */
export async function startRooms(config: Config, overrides: Overrides = {}): Promise<Service> {
  await using opened = new Resources()
  const closing = new AbortController()
  const signal = AbortSignal.any([closing.signal, ...(overrides.stop ? [overrides.stop] : [])])
  const health = new Health()
  const databaseAnswers = health.startup('postgres')
  const policyLoaded = health.startup('policy')
  const roomsExist = health.startup('first rooms')
  const internal = opened.use(await serveInternal({ host: config.internalHost, port: config.internalPort, health }))

  const database = opened.use(await openDatabase({ url: config.databaseUrl, pool: config.databasePool, name: 'rooms' }))
  await retry(() => database.ping(), { signal, initialMs: 200, maxMs: 5000 })
  databaseAnswers()
  const { db, pool } = database

  const bus = { url: config.natsUrl, user: config.natsUser, password: config.natsPassword, name: 'rooms', signal }
  const events = opened.use(await connectBus({ ...bus, purpose: 'events' }))
  const calls = opened.use(await connectBus({ ...bus, purpose: 'rpc' }))
  const rpc = opened.use(createRpcClient(calls, { name: 'rooms' }))
  const transport = rpc.transport()
  const admin = createClient(AdminInternalService, transport)
  const messaging = createClient(MessagingInternalService, transport)
  const apply = applyFacts(messaging)

  const policy = opened.use(await followPolicy({ bus: events, load: () => admin.getPolicy({}), signal }))
  policyLoaded()
  const relay = opened.use(await startRelay({ pool, bus: events, service: 'rooms' }))
  const line = opened.use(openLine({ db, apply, timeoutMs: config.handOverTimeoutMs }))
  const accounts = createClient(AccountsInternalService, transport)
  const now = overrides.now ?? (() => new Date())
  const dmKey = await retry(() => readDmKey(db), { signal, initialMs: 200, maxMs: 5000 })
  const reads = openReads({ connections: config.databasePool, refusal: tooManyReads })
  const ctx: Context = { db, reads, dmKey, accounts, admin, messaging, policy, line, turns: new Turns(), relay, now }

  const consumer = { bus: events, db, service: 'rooms' }
  const prepare = onProfileEvent(accounts)
  opened.use(await consumeEvents({ ...consumer, durable: 'people', subject: 'evt.user.>', prepare }))
  const on = onAccessEvent
  opened.use(await consumeEvents({ ...consumer, durable: 'people-access', subject: 'evt.control.user.>', on }))
  opened.use(
    await startErasures({
      ...{ bus: events, db, service: 'rooms', erase: erasePerson(ctx) },
      report: (report, stop) => accounts.reportErased({ ...report, service: 'rooms' }, { signal: stop }),
    }),
  )
  opened.use(handOverLeftBehind(ctx, signal))
  opened.use(checkMessaging(ctx, apply, { signal, restMs: overrides.checkRestMs }))
  opened.use(endExpiredBans(ctx, signal))
  opened.use(forgetOldAnswers(ctx, signal))
  const background = Promise.allSettled([fillPeople(ctx, signal), makeLobby(ctx, signal).then(roomsExist)])
  opened.defer('background work', async () => {
    closing.abort()
    await background
  })
  opened.use(await serveRpc(calls, { deployable: 'rooms', routes: routes(ctx), health, guard: refuseErased(db) }))
  opened.defer('readiness', () => health.drain())
  return Object.assign(opened.move(), { internalPort: internal.port })
}
