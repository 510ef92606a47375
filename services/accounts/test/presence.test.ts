import { fromBinary } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { MyAccountService, PresenceStatus, UserService } from '@parley/contracts/api'
import { PresenceHintSchema, type PresenceHint } from '@parley/contracts/internal'
import { presenceHints } from '@parley/events'
import { openRedis, type RedisClient } from '@parley/redis'
import { eventually } from '@parley/testkit'
import type { Hint } from '../src/engines/presence/announce.ts'
import { Presence } from '../src/engines/presence/presence.ts'
import { codeOf, makeUser, useEnv } from './_env.ts'

const { ONLINE, AWAY, DO_NOT_DISTURB: DND, OFFLINE, UNSPECIFIED } = PresenceStatus

const env = useEnv()
let hints: PresenceHint[]

beforeAll(async () => {
  hints = []
  env.bus.nc.subscribe(presenceHints, {
    callback: (_, { data }) => hints.push(fromBinary(PresenceHintSchema, data)),
  })
  await env.bus.nc.flush()
})

const hintsOf = (userId: string) => hints.filter((hint) => hint.userId === userId).map(({ status }) => status)
const expectHints = (userId: string, ...statuses: PresenceStatus[]) =>
  eventually(() => expect(hintsOf(userId)).toEqual(statuses))

async function report(userId: string, status: PresenceStatus, userSelected = false) {
  return (await env.as(MyAccountService, { userId }).updatePresence({ status, userSelected })).status
}

/** Repeats the report, because one that waits too long for Redis is abandoned. */
async function reportUntilAnnounced(userId: string, status: PresenceStatus): Promise<void> {
  const before = hintsOf(userId).length
  await eventually(async () => {
    await report(userId, status)
    return hintsOf(userId).length > before
  })
}

async function presenceOf(userId: string) {
  const { users } = await env.as(UserService, { userId }).batchGetUsers({ userIds: [userId] })
  return users[0]?.user?.presenceStatus
}

/** Waits until all processes are connected to Redis: of twelve successive calls, each process gets some. */
async function waitUntilRedisIsConnected(login: string) {
  const userId = await makeUser(env, login)
  await eventually(async () => {
    for (let n = 0; n < 12; n++) {
      await report(userId, ONLINE)
      expect(await presenceOf(userId)).toBe(ONLINE)
    }
  })
}

describe('presence', () => {
  let processes: AsyncDisposable[] = []

  beforeAll(async () => {
    processes = [await env.start(), await env.start()]
    await waitUntilRedisIsConnected('first')
  })

  afterAll(async () => {
    for (const process of processes) await process[Symbol.asyncDispose]()
  })

  test('is part of every user, and announced only when it changes', async () => {
    const userId = await makeUser(env, 'anna')
    expect(await presenceOf(userId)).toBe(OFFLINE)
    expect(await report(userId, ONLINE)).toBe(ONLINE)
    expect(await report(userId, ONLINE)).toBe(ONLINE)
    expect(await presenceOf(userId)).toBe(ONLINE)
    expect((await env.internal.getProfiles({ userIds: [userId] })).profiles[0]?.user?.presenceStatus).toBe(ONLINE)
    expect((await env.viewerOf(userId).getViewer({})).user?.profile?.presenceStatus).toBe(ONLINE)
    expect(await report(userId, AWAY)).toBe(AWAY)
    await expectHints(userId, ONLINE, AWAY)
    const versions = hints.filter((hint) => hint.userId === userId).map(({ version }) => version)
    expect(versions[1]).toBeGreaterThan(versions[0] ?? 0n)
    expect(hints.filter(({ crowded }) => crowded)).toEqual([])
  })

  test('that the user chose overrides automatic reports, unless the user chose online', async () => {
    const userId = await makeUser(env, 'bert')
    expect(await report(userId, DND, true)).toBe(DND)
    expect(await report(userId, ONLINE)).toBe(DND)
    expect(await report(userId, AWAY)).toBe(DND)
    expect(await report(userId, AWAY, true)).toBe(AWAY)
    expect(await report(userId, ONLINE)).toBe(AWAY)
    expect(await report(userId, ONLINE, true)).toBe(ONLINE)
    expect(await report(userId, AWAY)).toBe(AWAY)
    expect(await report(userId, ONLINE)).toBe(ONLINE)
    await expectHints(userId, DND, AWAY, ONLINE, AWAY, ONLINE)
  })

  test('cannot be set to offline', async () => {
    const userId = await makeUser(env, 'carl')
    for (const status of [OFFLINE, UNSPECIFIED]) expect(await codeOf(report(userId, status))).toBe(Code.InvalidArgument)
    expect(await presenceOf(userId)).toBe(OFFLINE)
  })

  test('is shown as offline while Redis is unavailable, and calls succeed', async () => {
    const userId = await makeUser(env, 'dora')
    await report(userId, ONLINE)
    await env.redis.stop()
    try {
      expect(await report(userId, AWAY)).toBe(AWAY)
      expect(await presenceOf(userId)).toBe(OFFLINE)
      // Other services can see that presence is unknown.
      expect(await env.internal.getPresences({ userIds: [userId] })).toMatchObject({ presences: [], unknown: true })
      expect((await env.as(UserService, { userId }).listUsers({})).users.length).toBeGreaterThan(0)
    } finally {
      await env.redis.start()
    }
    await eventually(async () => {
      await report(userId, AWAY)
      expect(await presenceOf(userId)).toBe(AWAY)
    })
    // Other users may be online although their reports were lost.
    expect(await env.internal.getPresences({ userIds: [userId] })).toMatchObject({ presences: [], unknown: true })
  })
})

describe('with a short lease', () => {
  let processes: AsyncDisposable[] = []

  beforeAll(async () => {
    processes = [await env.start({}, { presenceLeaseMs: 700 }), await env.start({}, { presenceLeaseMs: 700 })]
    await waitUntilRedisIsConnected('second')
  })

  afterAll(async () => {
    for (const process of processes) await process[Symbol.asyncDispose]()
  })

  test('users are announced as offline once, when their lease expires', async () => {
    const [userId, other] = [await makeUser(env, 'emil'), await makeUser(env, 'fritz')]
    await reportUntilAnnounced(userId, ONLINE)
    await expectHints(userId, ONLINE, OFFLINE)
    expect(await presenceOf(userId)).toBe(OFFLINE)
    await reportUntilAnnounced(other, AWAY)
    await expectHints(other, AWAY, OFFLINE)
    expect(hintsOf(userId)).toEqual([ONLINE, OFFLINE])
    await reportUntilAnnounced(userId, ONLINE)
    await expectHints(userId, ONLINE, OFFLINE, ONLINE, OFFLINE)
  })

  test('presence is known again one lease after an outage of Redis', async () => {
    const userId = await makeUser(env, 'rita')
    await env.redis.stop()
    await env.redis.start()
    await eventually(async () => {
      await report(userId, ONLINE)
      expect(await env.internal.getPresences({ userIds: [userId] })).toMatchObject({
        ...{ presences: [{ userId, status: ONLINE }], unknown: false },
      })
    })
  })

  test('automatic reports do not extend presence that the user chose', async () => {
    const userId = await makeUser(env, 'gerd')
    await report(userId, AWAY, true)
    await eventually(async () => expect(await report(userId, ONLINE)).toBe(ONLINE))
  })
})

describe('while many people are online', () => {
  let process: AsyncDisposable
  beforeAll(async () => {
    process = await env.start({}, { presenceCrowdSize: 0 })
    await waitUntilRedisIsConnected('third')
  })
  afterAll(async () => process[Symbol.asyncDispose]())

  const audiences = (userId: string) =>
    hints.filter((hint) => hint.userId === userId).map(({ crowded, audience }) => (crowded ? audience : 'everyone'))

  test('only the user’s audience is notified, and looked up once', async () => {
    const userId = await makeUser(env, 'hanna')
    await report(userId, ONLINE)
    await report(userId, AWAY)
    await expectHints(userId, ONLINE, AWAY)
    expect(audiences(userId)).toEqual([
      [userId, 'Ubert'],
      [userId, 'Ubert'],
    ])
    expect(env.fakes.audienceRequests.filter((requested) => requested === userId)).toEqual([userId])
  })

  test('everybody is notified if rooms is unavailable', async () => {
    const userId = await makeUser(env, 'ida')
    env.fakes.unavailable.add('rooms')
    await report(userId, ONLINE)
    await expectHints(userId, ONLINE)
    env.fakes.unavailable.delete('rooms')
    await report(userId, AWAY)
    await expectHints(userId, ONLINE, AWAY)
    expect(audiences(userId)).toEqual(['everyone', [userId, 'Ubert']])
  })
})

describe('Presence', () => {
  const everyMs = 100
  let redis: RedisClient
  let received: Hint[] = []

  beforeAll(async () => {
    redis = openRedis({ url: env.redis.url, name: 'test' })
    await eventually(() => redis.status === 'ready')
  })

  beforeEach(async () => {
    received = []
    await redis.flushdb()
  })

  afterAll(async () => redis[Symbol.asyncDispose]())

  const presence = (leaseMs: number, announce = async (hints: readonly Hint[]) => void received.push(...hints)) =>
    new Presence({ redis, announce, leaseMs })

  test('announces what another process failed to announce', async () => {
    const failing = presence(1, () => Promise.reject(new Error('gone')))
    await failing.report('Uanna', ONLINE, false)
    const other = presence(1)
    await eventually(async () => {
      await failing.sweep(everyMs)
      await other.sweep(everyMs)
      expect(received).toMatchObject([{ userId: 'Uanna', status: OFFLINE }])
    })
  })

  test('keeps a user online who returns while being announced as offline', async () => {
    const back = presence(60_000)
    const sweeper = presence(1, async (hints) => {
      received.push(...hints)
      if (hints.some(({ status }) => status === OFFLINE)) await back.report('Uanna', ONLINE, false)
    })
    await sweeper.report('Uanna', ONLINE, false)
    await eventually(async () => {
      await sweeper.sweep(everyMs)
      expect(received.map(({ status }) => status)).toEqual([ONLINE, OFFLINE, ONLINE])
    })
    const versions = received.map(({ version }) => version ?? 0n)
    expect([...versions].sort((a, b) => Number(a - b))).toEqual(versions)
    expect(await back.of(['Uanna'])).toEqual(new Map([['Uanna', ONLINE]]))
    expect(await redis.keys('presence:*:deadlines')).toHaveLength(1)
  })

  test('still returns users as online after a short stall of the process', async () => {
    const slow = presence(60_000)
    const online = new Map([['Uanna', ONLINE]])
    // A report that waits too long for Redis is abandoned.
    await eventually(async () => {
      await slow.report('Uanna', ONLINE, false)
      expect(await slow.of(['Uanna'])).toEqual(online)
    })
    const pending = slow.of(['Uanna'])
    const until = Date.now() + 400
    while (Date.now() < until);
    expect(await pending).toEqual(online)
  })

  test('is unsure after an outage of Redis, because reports may be lost', async () => {
    const one = presence(3000)
    const expectAnswer = () => eventually(async () => expect(await one.of(['Uanna'])).toEqual(new Map()))
    await expectAnswer()
    const mget = jest.spyOn(redis, 'mget').mockImplementationOnce(() => new Promise(() => {}))
    expect(await one.of(['Uanna'])).toBeUndefined()
    await expectAnswer()
    expect(one.isUnsure).toBe(false)
    mget.mockClear().mockImplementation(() => new Promise(() => {}))
    await eventually(async () => {
      await one.of(['Uanna'])
      expect(mget.mock.calls.length).toBeGreaterThan(1)
    })
    mget.mockRestore()
    await expectAnswer()
    expect(one.isUnsure).toBe(true)
    await eventually(() => !one.isUnsure)
  })

  test('announces changes as crowded above the limit', async () => {
    const crowds: boolean[] = []
    const counting = () =>
      new Presence({ redis, announce: async (_, crowded) => void crowds.push(crowded), leaseMs: 60_000, crowdSize: 1 })
    for (const userId of ['Uanna', 'Ubert']) {
      await counting().report(userId, ONLINE, false)
      await eventually(() => crowds.length === (userId === 'Uanna' ? 1 : 2))
    }
    expect(crowds).toEqual([false, true])
  })

  test('announces every one of thousands of expired users', async () => {
    const many = presence(1)
    // In batches, because a report does not wait long for Redis.
    for (let from = 0; from < 12_000; from += 200)
      await Promise.all(Array.from({ length: 200 }, (_, n) => many.report(`U${from + n}`, ONLINE, false)))
    await eventually(() => expect(received).toHaveLength(12_000))
    received = []
    await eventually(async () => {
      await many.sweep(5_000)
      expect(new Set(received.map(({ userId }) => userId)).size).toBe(12_000)
      expect(await redis.keys('presence:*:deadlines')).toEqual([])
    })
  })
})
