import { create } from '@bufbuild/protobuf'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { EventSchema } from '@parley/contracts/internal'
import type { Caller } from './caller.ts'
import { CallerCache } from './caller-cache.ts'

const digest = Buffer.alloc(32, 1)
const caller = (overrides: Partial<Caller> = {}): Caller => ({
  userId: 'U1',
  credentialId: 'S1',
  roleIds: [],
  freshUntil: undefined,
  expiresAt: new Date(1e12),
  rolesVersion: 1n,
  ...overrides,
})
const sessionEnded = create(EventSchema, {
  aggregateType: 'user',
  aggregateId: 'U1',
  fact: { case: 'credentialsEnded', value: { credentialIds: ['S1'] } },
})

let now: number
let feedIdleMs: number | undefined
let lookUps: number
let answer: (digest: Buffer) => Promise<Caller | undefined>
let rekeyed: { previous: Buffer; digest: Buffer }[]
let rekeying: Promise<void>
let cache: CallerCache

beforeEach(() => {
  now = 1e9
  feedIdleMs = 0
  lookUps = 0
  answer = async () => caller()
  rekeyed = []
  rekeying = Promise.resolve()
  cache = new CallerCache({
    authenticate: (digest) => {
      lookUps++
      return answer(digest)
    },
    rekey: async (entry) => {
      rekeyed.push(entry)
      await rekeying
    },
    feedIdleMs: () => feedIdleMs ?? Infinity,
    now: () => now,
    maxEntries: 2,
  })
})

describe('the caller behind a credential', () => {
  test('is looked up once in 30 s', async () => {
    expect((await cache.find(digest))?.caller.userId).toBe('U1')
    now += 29_999
    await cache.find(digest)
    expect(lookUps).toBe(1)
    now += 1
    await cache.find(digest)
    expect(lookUps).toBe(2)
  })

  test('is looked up once for concurrent requests', async () => {
    await Promise.all([cache.find(digest), cache.find(digest), cache.find(digest)])
    expect(lookUps).toBe(1)
  })

  test('is not cached if there is none', async () => {
    answer = async () => undefined
    expect(await cache.find(digest)).toBeUndefined()
    answer = async () => caller()
    expect(await cache.find(digest)).toBeDefined()
  })

  test('is dropped as soon as the session ends', async () => {
    await cache.find(digest)
    answer = async () => undefined
    cache.observe(sessionEnded)
    expect(await cache.find(digest)).toBeUndefined()
  })

  test('is not cached if the session ends during the look-up', async () => {
    let release: (value: Caller) => void = () => undefined
    answer = () => new Promise((resolve) => (release = resolve))
    const pending = cache.find(digest)
    cache.observe(sessionEnded)
    release(caller())
    await pending
    answer = async () => undefined
    expect(await cache.find(digest)).toBeUndefined()
  })

  test('is not cached if the feed is interrupted during the look-up', async () => {
    let release: (value: Caller) => void = () => undefined
    answer = () => new Promise((resolve) => (release = resolve))
    const pending = cache.find(digest)
    cache.clear()
    release(caller())
    await pending
    answer = async () => undefined
    expect(await cache.find(digest)).toBeUndefined()
  })

  test('is used for 15 minutes while accounts is down and the control feed is alive', async () => {
    await cache.find(digest)
    answer = () => Promise.reject(new Error('unavailable'))
    now += 15 * 60_000 - 1
    expect(await cache.find(digest)).toBeDefined()
    now += 1
    await expect(cache.find(digest)).rejects.toThrow('unavailable')
  })

  test('is used for only one second while no message of the control feed arrives', async () => {
    await cache.find(digest)
    feedIdleMs = 3_001
    now += 999
    await cache.find(digest)
    expect(lookUps).toBe(1)
    answer = () => Promise.reject(new Error('unavailable'))
    now += 1
    await expect(cache.find(digest)).rejects.toThrow('unavailable')
  })

  test('expires with the credential', async () => {
    answer = async () => caller({ expiresAt: new Date(now + 1_000) })
    expect(await cache.find(digest)).toBeDefined()
    now += 1_000
    expect(await cache.find(digest)).toBeUndefined()
  })

  test('is evicted by newer ones if there are too many', async () => {
    const other = (n: number) => Buffer.alloc(32, n)
    for (const n of [1, 2, 3]) await cache.find(other(n))
    expect(lookUps).toBe(3)
    await cache.find(other(3))
    expect(lookUps).toBe(3)
    await cache.find(other(1))
    expect(lookUps).toBe(4)
  })
})

describe('a credential stored under the previous secret key', () => {
  const previous = Buffer.alloc(32, 2)
  const storedUnder = (stored: Buffer) => (requested: Buffer) =>
    Promise.resolve(requested.equals(stored) ? caller() : undefined)

  test('is found, and re-stored under the current key once', async () => {
    answer = storedUnder(previous)
    expect(await cache.findByCurrentOrPrevious({ digest, previous })).toMatchObject({
      caller: { userId: 'U1' },
      digest: previous,
    })
    expect(rekeyed).toEqual([{ previous, digest }])
    answer = storedUnder(digest)
    expect(await cache.findByCurrentOrPrevious({ digest, previous })).toMatchObject({
      caller: { userId: 'U1' },
      digest,
    })
    expect(rekeyed).toHaveLength(1)
  })

  test('is rekeyed once for concurrent requests, again after a failure, and no request waits for it', async () => {
    answer = storedUnder(previous)
    let fail = (_: Error) => {}
    rekeying = new Promise((_, reject) => (fail = reject))
    const many = Array.from({ length: 5 }, () => cache.findByCurrentOrPrevious({ digest, previous }))
    expect((await Promise.all(many)).map((found) => found?.caller.userId)).toEqual(Array(5).fill('U1'))
    expect(rekeyed).toHaveLength(1)
    fail(new Error('unavailable'))
    await rekeying.catch(() => undefined)
    await new Promise(setImmediate)
    await cache.findByCurrentOrPrevious({ digest, previous })
    expect(rekeyed).toHaveLength(2)
  })

  test('is unknown without the previous key, and an unknown credential is not rekeyed', async () => {
    answer = storedUnder(previous)
    expect(await cache.findByCurrentOrPrevious({ digest, previous: undefined })).toBeUndefined()
    answer = () => Promise.resolve(undefined)
    expect(await cache.findByCurrentOrPrevious({ digest, previous })).toBeUndefined()
    expect(rekeyed).toEqual([])
  })
})
