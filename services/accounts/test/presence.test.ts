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
import { codeOf, makeUser, openEnv, type Env } from './_env.ts'

const { ONLINE, AWAY, DO_NOT_DISTURB: DND, OFFLINE, UNSPECIFIED } = PresenceStatus

let env: Env
let hints: PresenceHint[]

beforeAll(async () => {
  env = await openEnv()
  hints = []
  env.bus.nc.subscribe(presenceHints, {
    callback: (_, { data }) => hints.push(fromBinary(PresenceHintSchema, data)),
  })
  await env.bus.nc.flush()
})

afterAll(async () => env[Symbol.asyncDispose]())

const hintsOf = (userId: string) => hints.filter((hint) => hint.userId === userId).map(({ status }) => status)
const receives = (userId: string, ...statuses: PresenceStatus[]) =>
  eventually(() => expect(hintsOf(userId)).toEqual(statuses))

async function report(userId: string, status: PresenceStatus, userSelected = false) {
  return (await env.as(MyAccountService, { userId }).updatePresence({ status, userSelected })).status
}

/**
 * Reports until the change is announced, because a report that waits too long for Redis is abandoned. The hint precedes
 * the response.
 */
async function comes(userId: string, status: PresenceStatus): Promise<void> {
  const before = hintsOf(userId).length
  await eventually(async () => {
    await report(userId, status)
    return hintsOf(userId).length > before
  })
}

async function shown(userId: string) {
  const { users } = await env.as(UserService, { userId }).batchGetUsers({ userIds: [userId] })
  return users[0]?.user?.presenceStatus
}

/** Waits until every process is connected to Redis. */
async function allConnected(login: string) {
  const userId = await makeUser(env, login)
  await eventually(async () => {
    for (let n = 0; n < 12; n++) {
      await report(userId, ONLINE)
      expect(await shown(userId)).toBe(ONLINE)
    }
  })
}

describe('before it expires', () => {
  let processes: AsyncDisposable[] = []

  beforeAll(async () => {
    processes = [await env.start(), await env.start()]
    await allConnected('first')
  })

  afterAll(async () => {
    for (const process of processes) await process[Symbol.asyncDispose]()
  })

  test('is shown with every user, and announced only on change', async () => {
    const userId = await makeUser(env, 'anna')
    expect(await shown(userId)).toBe(OFFLINE)
    expect(await report(userId, ONLINE)).toBe(ONLINE)
    expect(await report(userId, ONLINE)).toBe(ONLINE)
    expect(await shown(userId)).toBe(ONLINE)
    expect((await env.internal.getProfiles({ userIds: [userId] })).profiles[0]?.user?.presenceStatus).toBe(ONLINE)
    expect((await env.viewerOf(userId).getViewer({})).user?.profile?.presenceStatus).toBe(ONLINE)
    expect(await report(userId, AWAY)).toBe(AWAY)
    await receives(userId, ONLINE, AWAY)
    const versions = hints.filter((hint) => hint.userId === userId).map(({ version }) => version)
    expect(versions[1]).toBeGreaterThan(versions[0] ?? 0n)
    expect(hints.filter(({ crowded }) => crowded)).toEqual([])
  })

  test('a manual choice overrides automatic reports until it is cleared', async () => {
    const userId = await makeUser(env, 'bert')
    expect(await report(userId, DND, true)).toBe(DND)
    expect(await report(userId, ONLINE)).toBe(DND)
    expect(await report(userId, AWAY)).toBe(DND)
    expect(await report(userId, AWAY, true)).toBe(AWAY)
    expect(await report(userId, ONLINE)).toBe(AWAY)
    expect(await report(userId, ONLINE, true)).toBe(ONLINE)
    expect(await report(userId, AWAY)).toBe(AWAY)
    expect(await report(userId, ONLINE)).toBe(ONLINE)
    await receives(userId, DND, AWAY, ONLINE, AWAY, ONLINE)
  })

  test('nobody can appear offline permanently', async () => {
    const userId = await makeUser(env, 'carl')
    for (const status of [OFFLINE, UNSPECIFIED]) expect(await codeOf(report(userId, status))).toBe(Code.InvalidArgument)
    expect(await shown(userId)).toBe(OFFLINE)
  })

  test('without Redis everybody is offline, and calls are still answered', async () => {
    const userId = await makeUser(env, 'dora')
    await report(userId, ONLINE)
    await env.redis.stop()
    try {
      expect(await report(userId, AWAY)).toBe(AWAY)
      expect(await shown(userId)).toBe(OFFLINE)
      // Services learn that presence is unknown, and can wait.
      expect(await env.internal.getPresences({ userIds: [userId] })).toMatchObject({ presences: [], unknown: true })
      expect((await env.as(UserService, { userId }).listUsers({})).users.length).toBeGreaterThan(0)
    } finally {
      await env.redis.start()
    }
    await eventually(async () => {
      await report(userId, AWAY)
      expect(await shown(userId)).toBe(AWAY)
    })
    // Other people may be online although their reports were lost.
    expect(await env.internal.getPresences({ userIds: [userId] })).toMatchObject({ presences: [], unknown: true })
  })
})

describe('when it expires', () => {
  let processes: AsyncDisposable[] = []

  beforeAll(async () => {
    processes = [await env.start({}, { presenceLeaseMs: 700 }), await env.start({}, { presenceLeaseMs: 700 })]
    await allConnected('second')
  })

  afterAll(async () => {
    for (const process of processes) await process[Symbol.asyncDispose]()
  })

  test('is announced once', async () => {
    const [userId, other] = [await makeUser(env, 'emil'), await makeUser(env, 'fritz')]
    await comes(userId, ONLINE)
    await receives(userId, ONLINE, OFFLINE)
    expect(await shown(userId)).toBe(OFFLINE)
    await comes(other, AWAY)
    await receives(other, AWAY, OFFLINE)
    expect(hintsOf(userId)).toEqual([ONLINE, OFFLINE])
    await comes(userId, ONLINE)
    await receives(userId, ONLINE, OFFLINE, ONLINE, OFFLINE)
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

  test('automatic reports do not prolong a choice', async () => {
    const userId = await makeUser(env, 'gerd')
    await report(userId, AWAY, true)
    await eventually(async () => expect(await report(userId, ONLINE)).toBe(ONLINE))
  })
})

describe('when many people are online', () => {
  let process: AsyncDisposable
  beforeAll(async () => {
    process = await env.start({}, { presenceCrowd: 0 })
    await allConnected('third')
  })
  afterAll(async () => process[Symbol.asyncDispose]())

  const audiences = (userId: string) =>
    hints.filter((hint) => hint.userId === userId).map(({ crowded, audience }) => (crowded ? audience : 'everyone'))

  test('only people who share a room are notified; rooms is queried for them from time to time', async () => {
    const userId = await makeUser(env, 'hanna')
    await report(userId, ONLINE)
    await report(userId, AWAY)
    await receives(userId, ONLINE, AWAY)
    expect(audiences(userId)).toEqual([
      [userId, 'Ubert'],
      [userId, 'Ubert'],
    ])
    expect(env.neighbours.audienceRequests.filter((requested) => requested === userId)).toEqual([userId])
  })

  test('everybody is notified while rooms does not answer', async () => {
    const userId = await makeUser(env, 'ida')
    env.neighbours.away.add('rooms')
    await report(userId, ONLINE)
    await receives(userId, ONLINE)
    env.neighbours.away.delete('rooms')
    await report(userId, AWAY)
    await receives(userId, ONLINE, AWAY)
    expect(audiences(userId)).toEqual(['everyone', [userId, 'Ubert']])
  })
})

describe('sweeping', () => {
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

  test('another process announces what one process could not', async () => {
    const failing = presence(1, () => Promise.reject(new Error('gone')))
    await failing.report('Uanna', ONLINE, false)
    const other = presence(1)
    await eventually(async () => {
      await failing.sweep(everyMs)
      await other.sweep(everyMs)
      expect(received).toMatchObject([{ userId: 'Uanna', status: OFFLINE }])
    })
  })

  test('a user who returns during the announcement stays', async () => {
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

  test('a short stall of a process does not make people appear offline', async () => {
    const slow = presence(60_000)
    const there = new Map([['Uanna', ONLINE]])
    // A report that waits too long for Redis is abandoned.
    await eventually(async () => {
      await slow.report('Uanna', ONLINE, false)
      expect(await slow.of(['Uanna'])).toEqual(there)
    })
    const requested = slow.of(['Uanna'])
    const until = Date.now() + 400
    while (Date.now() < until);
    expect(await requested).toEqual(there)
  })

  test('the presence of people who could not report during a stall of Redis is unknown', async () => {
    const one = presence(3000)
    const answers = () => eventually(async () => expect(await one.of(['Uanna'])).toEqual(new Map()))
    await answers()
    const requested = jest.spyOn(redis, 'mget').mockImplementationOnce(() => new Promise(() => {}))
    expect(await one.of(['Uanna'])).toBeUndefined()
    await answers()
    expect(one.isUnsure).toBe(false)
    requested.mockClear().mockImplementation(() => new Promise(() => {}))
    await eventually(async () => {
      await one.of(['Uanna'])
      expect(requested.mock.calls.length).toBeGreaterThan(1)
    })
    requested.mockRestore()
    await answers()
    expect(one.isUnsure).toBe(true)
    await eventually(() => !one.isUnsure)
  })

  test('people count as many above the limit', async () => {
    const crowds: boolean[] = []
    const counting = () =>
      new Presence({ redis, announce: async (_, crowded) => void crowds.push(crowded), leaseMs: 60_000, crowd: 1 })
    for (const userId of ['Uanna', 'Ubert']) {
      await counting().report(userId, ONLINE, false)
      await eventually(() => crowds.length === (userId === 'Uanna' ? 1 : 2))
    }
    expect(crowds).toEqual([false, true])
  })

  test('thousands expire in one sweep', async () => {
    const many = presence(1)
    // A few at a time, because a report does not wait long for Redis.
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
