import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { credentialDigest, sessionCookieName, signSessionCookie } from '@parley/credentials'
import { eventually } from '@parley/testkit'
import { credentialSecrets } from './_accounts.ts'
import { openEnv, type Env } from './_env.ts'
import { plainImage } from './_images.ts'
import { FileFixture } from './_file-fixture.ts'

let env: Env
let files: FileFixture
let id = ''
const file = Buffer.from('a file of no great length')
const { secretKey, previousSecretKey, cookieSigningSecret, previousCookieSigningSecret } = credentialSecrets

beforeAll(async () => {
  env = await openEnv()
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
  files = new FileFixture(env)
  await files.start({ PARLEY_WEBSERVER_ALLOWED_ORIGINS: 'https://app.example' })
  id = await files.attach(file)
  env.accounts.signIn('Ubob', { token: 'bobs-token' })
  env.accounts.signIn('Ubob', { token: 'bobs-handle' })
  env.accounts.signIn('Ustranger', { token: 'strangers-token' })
})
beforeEach(() => {
  files.clock += 10_000
  env.accounts.unavailable = false
  env.rooms.set('Rtea', ['Ualice', 'Ubob'])
})
afterAll(async () => env[Symbol.asyncDispose]())

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const cookie = (handle: string, secret = cookieSigningSecret) => ({
  cookie: `theme=dark; ${sessionCookieName}=${signSessionCookie(secret, handle)}`,
})
const read = (headers: Record<string, string> = {}, of = id) => fetch(files.unsignedUrlOf(of), { headers })
const statusWith = async (headers?: Record<string, string>) => (await read(headers)).status

describe('a file requested without a signed URL', () => {
  test('can be read with a bearer token or the session cookie', async () => {
    for (const headers of [bearer('bobs-token'), cookie('bobs-handle')]) {
      const response = await read(headers)
      expect([response.status, await response.text()]).toEqual([200, file.toString()])
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      expect(response.headers.get('vary')).toBe('Origin, Accept-Encoding, Authorization, Cookie')
    }
    const head = await fetch(files.unsignedUrlOf(id), { method: 'HEAD', headers: bearer('bobs-token') })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '25'])
  })

  test('is refused without a valid credential', async () => {
    for (const headers of [
      {},
      bearer('made-up'),
      { authorization: 'Basic Ym9iOmJvYg==' },
      cookie('made-up'),
      cookie('bobs-handle', 'a secret of somebody else'),
      { cookie: `${sessionCookieName}=bobs-handle` },
    ]) {
      const response = await read(headers)
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(await response.json()).toEqual({
        error: 'authentication required: sign in, or use a signed URL',
      })
    }
  })

  test('can be read with the cookie if the token is invalid', async () => {
    expect(await statusWith({ ...bearer('made-up'), ...cookie('bobs-handle') })).toBe(200)
    expect(await statusWith({ ...bearer('strangers-token'), ...cookie('bobs-handle') })).toBe(403)
  })

  test('is refused to non-members, and to members who have just left', async () => {
    const response = await read(bearer('strangers-token'))
    expect([response.status, await response.json()]).toEqual([
      403,
      { error: 'permission denied: you are not a member of this room' },
    ])
    expect(await statusWith(bearer('bobs-token'))).toBe(200)
    env.rooms.set('Rtea', ['Ualice'])
    expect(await statusWith(bearer('bobs-token'))).toBe(403)
  })

  test('can be read in an archived room', async () => {
    env.rooms.set('Rtea', ['Ubob'], { archived: true })
    expect(await statusWith(bearer('bobs-token'))).toBe(200)
  })

  test('makes rooms check access with the roles of the reader', async () => {
    env.accounts.signIn('Urole', { token: 'with-role', roleIds: ['Gtea'] })
    await read(bearer('with-role'))
    expect(env.rooms.requests.at(-1)).toMatchObject({ userId: 'Urole', roleIds: ['Gtea'], useStoredRoles: false })
  })

  test('is not found if it does not exist', async () => {
    expect((await read(bearer('bobs-token'), 'Anone')).status).toBe(404)
  })

  test('can be read only in its original size', async () => {
    const image = await files.attach(await plainImage(80, 40).png().toBuffer(), 'image/png')
    const url = `${files.unsignedUrlOf(image)}/image/10x10/cover`
    const response = await fetch(url, { headers: bearer('bobs-token') })
    expect([response.status, await response.json()]).toEqual([
      403,
      { error: 'permission denied: sizes and renditions need a signed URL' },
    ])
  })
})

test('a URL with an invalid signature is refused, even for a signed-in user', async () => {
  const response = await fetch(`${files.unsignedUrlOf(id)}?access=made.up`, { headers: bearer('bobs-token') })
  expect(response.status).toBe(403)
})

describe('the validity of a credential', () => {
  test('is checked with every request', async () => {
    env.accounts.signIn('Ubob', { token: 'short' })
    const before = env.accounts.calls
    expect([await statusWith(bearer('short')), await statusWith(bearer('short'))]).toEqual([200, 200])
    expect(env.accounts.calls).toBe(before + 2)
    env.accounts.signOut('short')
    expect(await statusWith(bearer('short'))).toBe(401)
    env.accounts.signIn('Ubob', { token: 'short' })
    expect(await statusWith(bearer('short'))).toBe(200)
  })

  test('cannot be checked while accounts is unavailable; signed URLs still work', async () => {
    env.accounts.unavailable = true
    const response = await read(bearer('bobs-token'))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.json()).toEqual({ error: expect.stringContaining('try again') })
    expect((await files.read(id)).status).toBe(200)
    expect(await statusWith({})).toBe(401)
  })

  test('is checked with the previous keys too, and the stored digest is then replaced', async () => {
    env.accounts.signIn('Ubob', { token: 'old-handle', key: previousSecretKey })
    expect(await statusWith(cookie('old-handle', previousCookieSigningSecret))).toBe(200)
    const digests = [previousSecretKey, secretKey].map((key) => credentialDigest(key, 'old-handle').toString('hex'))
    await eventually(() => {
      const rekeyed = env.accounts.rekeyed.map(({ previous, digest }) =>
        [previous, digest].map((one) => Buffer.from(one).toString('hex')),
      )
      expect(rekeyed).toContainEqual(digests)
    })
  })
})

describe('a page of another origin', () => {
  const from = (origin: string) => ({ ...bearer('bobs-token'), origin })

  test('may read files and their range headers if its origin is allowed', async () => {
    const { headers } = await read(from('https://app.example'))
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(headers.get('access-control-allow-credentials')).toBe('true')
    for (const name of ['Content-Range', 'ETag', 'Accept-Ranges'])
      expect(headers.get('access-control-expose-headers')).toContain(name)
    const refused = await read({ origin: 'https://app.example' })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, 'https://app.example'])
  })

  test('may not read files if its origin is not allowed', async () => {
    const { headers } = await read(from('https://other.example'))
    expect(headers.has('access-control-allow-origin')).toBe(false)
  })

  test('may send a preflight request before a range request', async () => {
    const response = await fetch(files.unsignedUrlOf(id), {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
    })
    expect(response.status).toBe(204)
    for (const name of ['Range', 'If-None-Match', 'Authorization'])
      expect(response.headers.get('access-control-allow-headers')).toContain(name)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
  })

  test('may embed files by signed URL, but not files that are read with a cookie', async () => {
    const policy = async (response: Promise<Response>) => (await response).headers.get('cross-origin-resource-policy')
    expect(await policy(files.read(id))).toBe('cross-origin')
    expect(await policy(read(cookie('bobs-handle')))).toBe('same-site')
  })
})
