import { timestampDate } from '@bufbuild/protobuf/wkt'
import { credentialDigest } from '@parley/credentials'
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { callersOf, makeUser, useEnv, secretKey, signIn } from './_env.ts'

const minute = 60_000
const day = 24 * 60 * minute
const due = 67.5 * day
const env = useEnv()
let now = Date.now()

beforeAll(() => env.start({}, { now: () => new Date(now) }))
afterEach(() => {
  now = Date.now()
})

const rotate = async (digest: Buffer) => {
  const { cookieHandle, lifetimeSeconds } = await env.signIn.rotateSession({ digest })
  return { cookieHandle, lifetimeSeconds, digest: credentialDigest(secretKey, cookieHandle) }
}
const callerOf = async (digest: Buffer) => (await callersOf(env, [digest])).get(digest.toString('hex'))

describe('a browser session', () => {
  test('is due for a new handle in the last quarter of its lifetime', async () => {
    await makeUser(env, 'anna')
    const { bearer, cookie } = await signIn(env, 'anna')
    const rotateAfter = (await callerOf(cookie))?.rotateAfter
    expect(rotateAfter && timestampDate(rotateAfter).getTime()).toBe(now + due)
    expect((await callerOf(bearer))?.rotateAfter).toBeUndefined()
    now += due
    expect((await rotate(cookie)).cookieHandle).toBe('')
    now += 1
    expect((await rotate(bearer)).cookieHandle).toBe('')
    expect((await rotate(cookie)).cookieHandle).toMatch(/^host~/)
  })

  test('gets one new handle, and the old one stays valid for a minute', async () => {
    await makeUser(env, 'bert')
    const { cookie } = await signIn(env, 'bert')
    const before = await callerOf(cookie)
    now += due + 1
    const answers = await Promise.all([rotate(cookie), rotate(cookie), rotate(cookie)])
    const [winner, ...others] = answers.filter(({ cookieHandle }) => cookieHandle !== '')
    expect(others).toEqual([])
    expect(winner?.lifetimeSeconds).toBe((90 * day) / 1000)
    const next = winner?.digest ?? Buffer.alloc(32)
    expect((await callersOf(env, [cookie, next])).size).toBe(2)
    const after = await callerOf(next)
    expect(after).toMatchObject({ credentialId: before?.credentialId, freshUntil: before?.freshUntil })
    expect(after?.rotateAfter && timestampDate(after.rotateAfter).getTime()).toBe(now + due)
    expect((await rotate(cookie)).cookieHandle).toBe('')
    // The caller contains the expiry of the old handle, for processes that cache callers.
    const replaced = (await callerOf(cookie))?.expiresAt
    expect(replaced && timestampDate(replaced).getTime()).toBe(now + minute)
    now += minute - 1
    expect(await callerOf(cookie)).toBeDefined()
    now += 1
    expect(await callerOf(cookie)).toBeUndefined()
    expect(await callerOf(next)).toBeDefined()
  })

  test('gets no new handle once it has ended', async () => {
    await makeUser(env, 'cleo')
    const [loggedOut, outdated] = [await signIn(env, 'cleo'), await signIn(env, 'cleo')]
    await env.internal.endCredentials({ digests: [loggedOut.cookie], reason: 'logout' })
    now += due + 1
    expect((await rotate(loggedOut.cookie)).cookieHandle).toBe('')
    await env.operator.setPassword({ login: 'cleo', password: 'another long enough secret' })
    expect((await rotate(outdated.cookie)).cookieHandle).toBe('')
    now += 90 * day
    expect((await rotate(outdated.cookie)).cookieHandle).toBe('')
  })

  test('gets no new handle once it has expired', async () => {
    await makeUser(env, 'dora')
    const { cookie } = await signIn(env, 'dora')
    now += 90 * day
    expect((await rotate(cookie)).cookieHandle).toBe('')
  })

  test('can be ended with the previous handle', async () => {
    await makeUser(env, 'emil')
    const { cookie } = await signIn(env, 'emil')
    now += due + 1
    const { digest } = await rotate(cookie)
    const { credentialIds } = await env.internal.endCredentials({ digests: [cookie], reason: 'logout' })
    expect(credentialIds).toHaveLength(1)
    expect((await callersOf(env, [cookie, digest])).size).toBe(0)
  })
})
