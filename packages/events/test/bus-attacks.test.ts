import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { connect, consumerOpts, createInbox, headers, nanos, type NatsConnection } from 'nats'
import { AdminRoleService } from '@parley/contracts/admin'
import { ownedMethods, publicMethods } from '@parley/contracts/catalogue'
import { AdminInternalService } from '@parley/contracts/internal'
import { startNats, type Nats } from '@parley/local/infrastructure'
import { connectBus, rpcSubject, type Bus } from '@parley/rpc'
import { newDataFolder } from '@parley/tooling/data-folder'
import { eventually } from '@parley/tooling/eventually'
import { declareStreams, eventStream, keepStream } from '../src/index.ts'
import { requestKeeper } from '../src/keep/requests.ts'

const conf = fileURLToPath(new URL('../../../deploy/nats/parley.conf', import.meta.url))

/** The aggregate types that each attacking deployable publishes, and one of its durables. */
const deployables = {
  realtime: { publishes: [], durable: undefined },
  accounts: { publishes: ['user', 'auth', 'control.user'], durable: 'erasures' },
  rooms: { publishes: ['layout', 'group'], durable: 'people' },
  messaging: { publishes: ['room', 'reader'], durable: 'levels' },
  uploads: { publishes: ['asset'], durable: 'posted' },
  notifications: { publishes: ['notification', 'preference'], durable: 'rooms' },
  calls: { publishes: [], durable: 'members-left' },
} as const
type Attacker = keyof typeof deployables
const attackers = Object.keys(deployables) as Attacker[]
const everyType = [
  ...attackers.flatMap((name) => deployables[name].publishes),
  ...['policy', 'rbac', 'config', 'control.policy'],
]
const users = [...attackers, 'gateway', 'admin', 'operator']
const passwordOf = (user: string) => `password-of-${user}`

/** Internal methods that only the gateway or the operator may call, with their owners. */
const forbiddenInternal = (
  [
    ['accounts', 'AccountsInternalService.PasswordLogin'],
    ['accounts', 'AccountsInternalService.EndCredentials'],
    ['accounts', 'OperatorService.CreateUser'],
    ['rooms', 'RoomsTransferService.ImportRoom'],
    ['messaging', 'MessagingTransferService.ExportMessages'],
  ] as const
).map(([owner, method]) => [owner, `rpc.internal.svc_internal_v1_${method}`] as const)

const forbiddenMethods = [...publicMethods.map(rpcSubject), ...forbiddenInternal.map(([, subject]) => subject)]

let nats: Nats
let dir: string
let keeperBus: Bus
let keeper: AsyncDisposable
const opened: NatsConnection[] = []

/**
 * The user and the subject of each message that {@link listenAsVictims} received. Traces are left out, because they cause
 * no call.
 */
let received: string[] = []
const isTrace = (data: Uint8Array): boolean => Buffer.from(data).toString().startsWith('{"server":')

async function logIn(user: string, login = user): Promise<NatsConnection> {
  const nc = await connect({
    ...{ servers: nats.url, user: login, pass: passwordOf(user), inboxPrefix: `_INBOX.${user}` },
    reconnect: false,
  })
  opened.push(nc)
  return nc
}

/** Opens all connections that a password permits: for calls and, if the user has such a login, for events. */
async function logInAll(user: string): Promise<NatsConnection[]> {
  const logins = await Promise.allSettled([logIn(user), logIn(user, `${user}-events`)])
  return logins.flatMap((login) => (login.status === 'fulfilled' ? [login.value] : []))
}

beforeAll(async () => {
  dir = newDataFolder('parley-attacks-')
  const env = Object.fromEntries(users.map((user) => [`PARLEY_NATS_PASSWORD_${user.toUpperCase()}`, passwordOf(user)]))
  nats = await startNats({ dir, conf, env })
  keeperBus = await connectBus({
    ...{ url: nats.url, user: 'admin', password: passwordOf('admin'), name: 'admin', purpose: 'events' },
  })
  keeper = await keepStream(keeperBus)
  await declareStreams(keeperBus)
  await listenAsVictims()
})

afterAll(async () => {
  await keeper[Symbol.asyncDispose]()
  await keeperBus[Symbol.asyncDispose]()
  await Promise.all(opened.map((nc) => nc.close()))
  await nats.stop()
  rmSync(dir, { recursive: true, force: true })
})

const victims: NatsConnection[] = []

/** Subscribes to the subjects of each service, with its permissions. */
async function listenAsVictims(): Promise<void> {
  const internal = (user: string) => forbiddenInternal.filter(([owner]) => owner === user).map(([, subject]) => subject)
  const listened = {
    ...Object.fromEntries(
      (['accounts', 'rooms', 'messaging', 'admin', 'uploads', 'notifications', 'calls'] as const).map((user) => [
        user,
        [...ownedMethods(user).map(rpcSubject), ...internal(user)],
      ]),
    ),
    realtime: ['hint.presence.*', 'hint.typing.*', 'hint.presence.U1', 'hint.typing.R1'],
    gateway: ['_INBOX.gateway.>'],
  }
  for (const [user, subjects] of Object.entries(listened)) {
    const nc = await logIn(user)
    victims.push(nc)
    for (const subject of subjects)
      nc.subscribe(subject, {
        ...(subject.startsWith('rpc.') && { queue: user }),
        callback: (error, message) => {
          const trace = !error && !message.reply && !message.headers && isTrace(message.data)
          if (!trace) received.push(`${user}: ${error ? error.message : message.subject}`)
        },
      })
    await nc.flush()
  }
}

/** Waits until everything published so far has arrived; returns and clears what was received. */
async function takeReceived(): Promise<string[]> {
  for (const nc of victims) await nc.flush()
  return received.splice(0)
}

type OnStream = { subject: string; data: string }

/** Where {@link readStream} starts to read: after the hundreds of events of earlier attackers. */
let startSeq = 1

async function readStream(): Promise<OnStream[]> {
  const stream = keeperBus.nc.jetstream()
  const end = await stream.publish('evt.config.X2.read', 'end')
  const all: OnStream[] = []
  const options = consumerOpts().orderedConsumer().startSequence(startSeq)
  const messages = await stream.subscribe('evt.>', options)
  for await (const message of messages) {
    if (message.seq === end.seq) break
    if (message.subject !== 'evt.config.X2.read') all.push({ subject: message.subject, data: message.string() })
  }
  await messages.destroy()
  return all
}

const subjectOf = (type: string) => `evt.${type}.X1.changed`
const ownTypes = (attacker: Attacker): readonly string[] => deployables[attacker].publishes
const foreignTypes = (attacker: Attacker) => everyType.filter((type) => !ownTypes(attacker).includes(type))

/** Subjects on which an attacker must not be able to publish. */
const targets = (attacker: Attacker): string[] => [
  ...forbiddenMethods,
  ...foreignTypes(attacker).map(subjectOf),
  ...['hint.presence.U1', 'hint.typing.R1'].filter(
    (hint) => !(attacker === 'accounts' && /presence/.test(hint)) && !(attacker === 'messaging' && /typing/.test(hint)),
  ),
  ...attackers
    .filter((name) => name !== attacker)
    .flatMap((name) => [
      `wake.${name}.1`,
      `wake.${name}.relays`,
      `deliver.${name}.abcdefghijklmnopqrstuv`,
      `stream.${name}.state`,
      `stream.${name}.durable`,
      `_INBOX.gateway.${name}.abc.1`,
      `$JS.ACK.EVENTS.${name}-${deployables[name].durable ?? 'any'}.1.1.1.1.0`,
      `$JS.API.CONSUMER.MSG.NEXT.EVENTS.${name}-${deployables[name].durable ?? 'any'}`,
      `$JS.API.CONSUMER.DELETE.EVENTS.${name}-${deployables[name].durable ?? 'any'}`,
    ]),
  ...['_INBOX.gateway.abc.1', 'stream.admin.state', 'deliver.admin.abc', 'wake.admin.1'],
  ...[
    '$JS.API.ACCOUNT.PURGE.EVENTS',
    '$JS.API.STREAM.PURGE.EVENTS',
    '$JS.API.STREAM.DELETE.EVENTS',
    '$JS.API.STREAM.MSG.DELETE.EVENTS',
  ],
]

const apiCalls = (durable: string): [string, object][] => {
  const consumer = { durable_name: 'stolen', ack_policy: 'none', deliver_policy: 'all' }
  const pushed = (deliver_subject: string) => ({
    stream_name: eventStream,
    config: { ...consumer, durable_name: undefined, deliver_subject, deliver_group: 'rooms', name: 'pushed' },
  })
  const stream = (more: object) => ({ name: eventStream, subjects: ['evt.>'], storage: 'file', ...more })
  const victim = 'rpc.svc_api_v1_RoomService.CreateRoom'
  return [
    ...['INFO', 'STREAM.NAMES', 'STREAM.LIST', 'STREAM.TEMPLATE.NAMES', 'ACCOUNT.PURGE.EVENTS'].map(
      (verb): [string, object] => [verb, {}],
    ),
    ['STREAM.CREATE.EVENTS', stream({})],
    ['STREAM.CREATE.MINE', { name: 'MINE', subjects: ['rpc.>'], storage: 'file' }],
    ['STREAM.CREATE.MINE', { name: 'MINE', storage: 'file', sources: [{ name: eventStream }] }],
    ['STREAM.CREATE.MINE', { name: 'MINE', storage: 'file', mirror: { name: eventStream } }],
    ['STREAM.UPDATE.EVENTS', stream({ republish: { src: '>', dest: victim } })],
    ['STREAM.UPDATE.EVENTS', stream({ subjects: ['evt.>', 'rpc.>'], max_msgs: 1, sealed: true })],
    ['STREAM.UPDATE.EVENTS', stream({ sources: [{ name: 'MINE' }], no_ack: true })],
    ['STREAM.INFO.EVENTS', {}],
    ['STREAM.DELETE.EVENTS', {}],
    ['STREAM.PURGE.EVENTS', {}],
    ['STREAM.SNAPSHOT.EVENTS', { deliver_subject: victim }],
    ['STREAM.RESTORE.EVENTS', { config: stream({}), state: {} }],
    ['STREAM.PEER.REMOVE.EVENTS', { peer: 'parley' }],
    ['STREAM.LEADER.STEPDOWN.EVENTS', {}],
    ['STREAM.MSG.GET.EVENTS', { seq: 1 }],
    ['STREAM.MSG.DELETE.EVENTS', { seq: 1 }],
    ['META.LEADER.STEPDOWN', {}],
    ['SERVER.REMOVE', { peer: 'parley' }],
    ['CONSUMER.NAMES.EVENTS', {}],
    ['CONSUMER.LIST.EVENTS', {}],
    [`CONSUMER.INFO.EVENTS.${durable}`, {}],
    [`CONSUMER.DELETE.EVENTS.${durable}`, {}],
    [`CONSUMER.MSG.NEXT.EVENTS.${durable}`, { batch: 100, expires: nanos(60_000) }],
    [`CONSUMER.LEADER.STEPDOWN.EVENTS.${durable}`, {}],
    ['CONSUMER.CREATE.EVENTS', pushed(victim)],
    ['CONSUMER.CREATE.EVENTS.pushed', pushed(victim)],
    ['CONSUMER.CREATE.EVENTS.pushed.evt.>', pushed('evt.room.X1.changed')],
    ['CONSUMER.DURABLE.CREATE.EVENTS.stolen', { stream_name: eventStream, config: consumer }],
    [
      `CONSUMER.DURABLE.CREATE.EVENTS.${durable}`,
      { stream_name: eventStream, config: { ...consumer, durable_name: durable } },
    ],
  ].map(([verb, body]) => [`$JS.API.${verb as string}`, body as object])
}

const json = (value: unknown) => JSON.stringify(value)

/** The state that an attacker must not change: streams, consumers, and the events of others. */
async function readProtectedState(attacker: Attacker) {
  const manager = await keeperBus.nc.jetstreamManager({ checkAPI: false })
  const consumers = []
  for await (const { name, config, num_waiting, ack_floor, delivered } of manager.consumers.list(eventStream))
    if (!name.startsWith(`${attacker}-`) && !name.startsWith('reader-'))
      consumers.push({ name, config, num_waiting, acked: ack_floor.stream_seq, delivered: delivered.stream_seq })
  const events = (await readStream()).filter(
    ({ subject }) => !ownTypes(attacker).some((type) => subject.startsWith(`evt.${type}.`)),
  )
  const streams = []
  for await (const { config, state } of manager.streams.list()) streams.push({ config, firstSeq: state.first_seq })
  return { streams, consumers: consumers.toSorted((a, b) => a.name.localeCompare(b.name)), events }
}

async function declareAllDurables(): Promise<void> {
  for (const name of attackers) {
    const { durable } = deployables[name]
    if (durable) await requestKeeper(keeperBus, 'durable', { durable, subject: 'evt.>', anew: false }, name)
  }
}

test('the password of uploads permits no call of a public method through JetStream', async () => {
  for (const nc of await logInAll('uploads')) {
    const stream = nc.jetstream({ timeout: 1000 })
    const sent = headers()
    sent.set('P', 'attacker 0 5000 5000 1')
    await stream.publish('evt.asset.X1.changed', 'the owner makes a role', { headers: sent }).catch(() => undefined)
    const manager = await nc.jetstreamManager({ checkAPI: false, timeout: 1000 })
    await manager.consumers
      .add(eventStream, {
        deliver_subject: rpcSubject(AdminRoleService.method.createRole),
        deliver_group: 'admin',
        filter_subject: 'evt.asset.>',
      })
      .catch(() => undefined)
  }
  // Created last, so a consumer of the attacker has received the event when this consumer does.
  const inbox = createInbox('_INBOX.admin')
  const sent = new Promise<void>((resolve) => void keeperBus.nc.subscribe(inbox, { callback: () => resolve() }))
  await keeperBus.nc.jetstream().publish('evt.asset.X1.changed', 'later')
  const manager = await keeperBus.nc.jetstreamManager({ checkAPI: false })
  const { name } = await manager.consumers.add(eventStream, { deliver_subject: inbox, filter_subject: 'evt.asset.>' })
  await sent
  await manager.consumers.delete(eventStream, name)
  expect(await takeReceived()).toEqual([])
})

describe.each(attackers)('with the password of %s', (attacker) => {
  let calls: NatsConnection
  let events: NatsConnection
  let before: Awaited<ReturnType<typeof readProtectedState>>

  beforeAll(async () => {
    await declareAllDurables()
    startSeq = (await requestKeeper(keeperBus, 'state', {})).lastSeq + 1
    for (const type of everyType) await keeperBus.nc.jetstream().publish(subjectOf(type), `of ${type}`)
    const logins = await logInAll(attacker)
    calls = logins[0] as NatsConnection
    events = logins[1] as NatsConnection
  })

  beforeEach(async () => {
    received = []
    before = await readProtectedState(attacker)
  })

  async function assertNothingHappened(): Promise<void> {
    await events.flush()
    await calls.flush()
    await barrier()
    expect(await takeReceived()).toEqual([])
    expect(await readProtectedState(attacker)).toEqual(before)
  }

  async function answersTo(nc: NatsConnection, messages: readonly (readonly [subject: string, body: string])[]) {
    const inbox = createInbox(`_INBOX.${attacker}`)
    const answers: [subject: string | undefined, answer: string][] = []
    const subscription = nc.subscribe(`${inbox}.*`, {
      callback: (error, message) => {
        if (error === null && message.headers?.code !== 503)
          answers.push([messages[Number(message.subject.split('.').at(-1))]?.[0], message.string()])
      },
    })
    messages.forEach(([subject, body], i) => nc.publish(subject, body, { reply: `${inbox}.${i}` }))
    await assertNothingHappened()
    subscription.unsubscribe()
    return answers
  }

  /** Sends allowed requests, which are answered after all earlier requests of the attacker. */
  async function barrier(): Promise<void> {
    const query = json({ last_by_subj: 'evt.>' })
    for (let turn = 0; turn < 3; turn++) {
      await events.request('$JS.API.DIRECT.GET.EVENTS', query, { timeout: 20_000 })
      await events.request(`stream.${attacker}.state`, '{}', { timeout: 20_000 })
    }
  }

  test('an attacker cannot publish on subjects of others', async () => {
    const forged = targets(attacker).map((subject) => [subject, 'forged'] as const)
    for (const nc of [calls, events]) expect(await answersTo(nc, forged)).toEqual([])
  })

  test("JetStream's API does not answer an attacker who administers streams or uses durables of others", async () => {
    const victim = attacker === 'rooms' ? 'messaging-levels' : 'rooms-people'
    const requested = apiCalls(victim).map(([subject, body]) => [subject, json(body)] as const)
    for (const nc of [calls, events]) expect(await answersTo(nc, requested)).toEqual([])
  })

  test('an attacker cannot make services or NATS publish on subjects of others', async () => {
    const stream = events.jetstream({ timeout: 20_000 })
    const [type] = ownTypes(attacker)
    const { durable } = deployables[attacker]
    const readLastSeq = async () => (await requestKeeper(keeperBus, 'state', {})).lastSeq
    if (type) await stream.publish(subjectOf(type), 'forged')
    const mine = await readLastSeq()
    for (const target of targets(attacker)) {
      // The target would receive the replies to the publication, the look-up, the pull and the acknowledgement, and
      // those of the keeper.
      if (type) events.publish(subjectOf(type), 'forged', { reply: target })
      events.publish('$JS.API.DIRECT.GET.EVENTS', json({ seq: mine }), { reply: target })
      events.publish(`stream.${attacker}.state`, '{}', { reply: target })
      events.publish(`stream.${attacker}.nothing`, 'forged', { reply: target })
      if (durable) {
        const next = `$JS.API.CONSUMER.MSG.NEXT.EVENTS.${attacker}-${durable}`
        events.publish(next, json({ batch: 1, no_wait: true }), { reply: target })
        events.publish(`$JS.ACK.EVENTS.${attacker}-${durable}.1.${mine}.1.1.0`, '+NXT', { reply: target })
      }
      await events.flush()
    }
    await assertNothingHappened()
  })

  test('no header of an event removes or delays events of others', async () => {
    const [type] = ownTypes(attacker)
    if (!type) return
    for (const [name, value] of [
      ['Nats-Rollup', 'all'],
      ['Nats-Rollup', 'sub'],
      ['Nats-Expected-Last-Sequence', '0'],
      ['Nats-Expected-Last-Subject-Sequence', '0'],
      ['Nats-Expected-Stream', 'OTHER'],
      ['Nats-TTL', '1s'],
      ['Nats-Schedule', '@every 1s'],
      ['Nats-Schedule-Target', 'evt.room.X1.changed'],
      ['Nats-Request-Info', '{"acc":"EVENTS","svc":"EVENTS"}'],
    ] as const) {
      const sent = headers()
      sent.set(name, value)
      const stored = events.jetstream({ timeout: 20_000 }).publish(subjectOf(type), 'forged', { headers: sent })
      await stored.catch(() => undefined)
    }
    await assertNothingHappened()
  })

  test('a trace requested by header causes no call and does not reach the stream', async () => {
    const [type] = ownTypes(attacker)
    const own = {
      calls: [rpcSubject(AdminInternalService.method.getPolicy)],
      events: [`stream.${attacker}.state`, ...(type ? [subjectOf(type)] : [])],
    }
    for (const target of targets(attacker))
      for (const only of ['true', 'false']) {
        const sent = headers()
        sent.set('Nats-Trace-Dest', target)
        sent.set('Nats-Trace-Only', only)
        sent.set('P', 'attacker 0 5000 5000 1')
        for (const subject of own.calls) calls.publish(subject, 'traced', { headers: sent })
        for (const subject of own.events) events.publish(subject, 'traced', { headers: sent })
      }
    await calls.flush()
    await events.flush()
    await assertNothingHappened()
  })

  test('the keeper refuses subjects and names that would reach other services, and erasures of their events', async () => {
    const bus = { ...keeperBus, name: attacker, nc: events }
    const id = 'abcdefghijklmnopqrstuvwx'
    for (const subject of ['rpc.>', '>', 'stream.>', 'evt.room.X1.changed deliver', '$JS.>'])
      await expect(requestKeeper(bus, 'reader', { id, subject, startSeq: 1 })).rejects.toThrow('refused')
    for (const wrong of ['a.b', '*', '>', 'x', '../up', 'rpc.svc_api_v1_RoomService.CreateRoom'])
      await expect(requestKeeper(bus, 'reader', { id: wrong, subject: 'evt.>', startSeq: 1 })).rejects.toThrow(
        'refused',
      )
    await expect(requestKeeper(bus, 'durable', { durable: 'a.b', subject: 'evt.>', anew: true })).rejects.toThrow(
      'refused',
    )
    for (const type of foreignTypes(attacker)) {
      const subjects = [subjectOf(type)]
      // Accounts erases events about a person, including notifications of others that contain that person's name.
      if (attacker === 'accounts' && (type === 'user' || type === 'notification')) continue
      await expect(requestKeeper(bus, 'erase', { subjects, remove: true })).rejects.toThrow('refused')
    }
    const newest = await requestKeeper(bus, 'state', {})
    expect(newest.lastSeq).toBeGreaterThan(0)
    await assertNothingHappened()
  })

  test('the NATS server answers only requests for the connections of the attacker', async () => {
    const subjects = [
      ...['SERVER.PING', 'SERVER.PING.JSZ', 'CLAIMS.UPDATE', 'USER.AUTH'].map((name) => `$SYS.REQ.${name}`),
      ...['CONNZ', 'SUBSZ', 'INFO', 'JSZ', 'CLAIMS.UPDATE'].flatMap((name) =>
        ['EVENTS', 'PARLEY', '$SYS'].map((account) => `$SYS.REQ.ACCOUNT.${account}.${name}`),
      ),
    ]
    const requested = subjects.map((subject) => [subject, '{}'] as const)
    for (const nc of [calls, events]) expect(await answersTo(nc, requested)).toEqual([])
    const own = await events.request('$SYS.REQ.SERVER.PING.CONNZ', '{}', { timeout: 20_000 })
    const { data } = JSON.parse(own.string()) as { data: { total: number } }
    expect(data.total).toBeLessThan(4)
  })

  test('an attacker receives nothing addressed to others', async () => {
    const subjects: string[] = []
    const subscription = events.subscribe('>', { callback: (_error, message) => void subjects.push(message.subject) })
    await events.flush()
    await keeperBus.nc.jetstream().publish('evt.config.X1.changed', 'for others')
    keeperBus.nc.publish('deliver.admin.abcdefghijklmnopqrstuv', 'for others')
    keeperBus.nc.publish('wake.admin.1', 'for others')
    await keeperBus.nc.flush()
    await events.flush()
    subscription.unsubscribe()
    expect(subjects.filter((subject) => !subject.startsWith('_INBOX.'))).toEqual([])
  })
})

test('after the attacks, attackers can publish their own events, and their durables receive a new event once', async () => {
  await declareAllDurables()
  for (const name of attackers) {
    const { durable, publishes } = deployables[name]
    const [, events] = await logInAll(name)
    if (events === undefined) throw new Error(`${name} is not accepted`)
    const [type] = publishes
    if (type)
      expect((await events.jetstream({ timeout: 20_000 }).publish(subjectOf(type), 'own')).stream).toBe(eventStream)
    if (!durable) continue
    await keeperBus.nc.jetstream().publish('evt.config.X1.changed', `after ${name}`)
    const inbox = createInbox(`_INBOX.${name}`)
    const got: string[] = []
    events.subscribe(`${inbox}.*`, {
      callback: (_error, message) => {
        if (!message.reply) return
        got.push(message.string())
        message.respond('+ACK')
      },
    })
    const next = `$JS.API.CONSUMER.MSG.NEXT.EVENTS.${name}-${durable}`
    events.publish(next, json({ batch: 10_000, expires: nanos(60_000) }), { reply: `${inbox}.1` })
    await eventually(() => expect(got.at(-1)).toBe(`after ${name}`))
    expect(got.filter((data) => data === `after ${name}`)).toHaveLength(1)
  }
})
