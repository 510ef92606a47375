import { createHash, randomBytes } from 'node:crypto'
import { Code } from '@connectrpc/connect'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { credentialDigest } from '@parley/credentials'
import { MyAccountService } from '@parley/contracts/api'
import type { Service } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { startOidcProvider, type OidcProvider } from '@parley/testkit/oidc-provider'
import { callerOf, callersOf, codeOf, makeUser, useEnv, password, secretKey, signIn } from './_env.ts'
import { finishLogin, identityAuth, startLinking, providerSettings, startLogin } from './_identities.ts'
import { codeIn, createMailFolder, type MailFolder } from './_mails.ts'
import { signInAt } from './_sign-in-at.ts'

const newKey = 'the secret key after its rotation, long enough'
const redirectUri = 'https://other.example.org/callback'
const env = useEnv()
let folder: MailFolder
let provider: OidcProvider
let process: Service | undefined

async function restart(keys: Record<string, string>): Promise<void> {
  await process?.[Symbol.asyncDispose]()
  const work = { id: 'corp', type: 'oidc', label: 'Work', issuer_url: provider.issuer }
  const client = { client_id: provider.clientId, client_secret: provider.clientSecret }
  process = await env.start({ PARLEY_MAIL_DIR: folder.path, ...providerSettings({ ...work, ...client }), ...keys })
}

beforeAll(async () => {
  folder = env.use(await createMailFolder())
  provider = env.use(await startOidcProvider(['https://chat.example.org/auth/providers/corp/callback']))
})

const latestMail = (email: string) =>
  eventually(async () => {
    const mail = (await folder.mails(email)).at(-1)
    if (!mail) throw new Error('no mail yet')
    return mail
  })

async function registrationCode(email: string): Promise<string> {
  await env.signIn.requestRegistrationCode({ email })
  return codeIn(await latestMail(email))
}

/** Each starts a flow for a login; the result performs the next step, and rejects if the flow is unknown. */
const steps: Record<string, (login: string) => Promise<() => Promise<unknown>>> = {
  'a mailed code for a registration': async (login) => {
    const email = `${login}@example.org`
    const code = await registrationCode(email)
    return () => env.signIn.verifyRegistrationCode({ email, code })
  },
  'a registration': async (login) => {
    const email = `${login}@example.org`
    const { completionToken } = await env.signIn.verifyRegistrationCode({ email, code: await registrationCode(email) })
    return () => env.signIn.completeRegistration({ completionToken, login, password })
  },
  'a mailed code for an address': async (login) => {
    const userId = await makeUser(env, login)
    const { credentialId = '' } = await callerOf(env, login)
    const email = `${login}@example.org`
    await env.signIn.requestEmailCode({ userId, email, credentialId })
    const code = codeIn(await latestMail(email))
    return () => env.signIn.confirmEmailCode({ userId, email, code, credentialId })
  },
  'a mailed link for a new password': async (login) => {
    const email = `${login}@example.org`
    await makeUser(env, login, { email })
    await env.signIn.requestPasswordReset({ email })
    const token = /reset-password\?token=(\w+)/.exec((await latestMail(email)).text)?.[1] ?? 'no token'
    return () => env.signIn.resetPassword({ token, password: 'another long enough secret' })
  },
  'the confirmation of an account deletion': async (login) => {
    const account = env.as(MyAccountService, { userId: await makeUser(env, login) })
    const { confirmationToken } = await account.requestAccountDeletion({})
    return () => account.deleteMyAccount({ confirmationToken })
  },
  'an authorization code': async (login) => {
    const userId = await makeUser(env, login)
    const codeVerifier = randomBytes(32).toString('base64url')
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
    const { credentialId = '' } = await callerOf(env, login)
    await env.signIn.decideConsent({ userId, credentialId, origin: new URL(redirectUri).origin, granted: true })
    const { code } = await env.signIn.issueAuthorizationCode({ userId, credentialId, redirectUri, codeChallenge })
    return () => env.signIn.exchangeAuthorizationCode({ code, redirectUri, codeVerifier })
  },
  'a sign-in at a provider': async (login) => {
    const callback = await signInAt(provider, await startLogin(env, 'corp'), login)
    return async () => {
      const { error } = await finishLogin(env, 'corp', callback)
      if (error !== undefined) throw new Error(error)
    }
  },
  'an identity whose account is not created yet': async (login) => {
    const callback = await signInAt(provider, await startLogin(env, 'corp'), login)
    const { pendingToken: token = '' } = await finishLogin(env, 'corp', callback)
    return () => identityAuth(env).createExternalIdentityAccount({ token, login })
  },
  'linking an identity': async (login) => {
    await makeUser(env, login)
    const { userId, linkStart } = await startLinking(env, login, 'corp')
    return () => startLogin(env, 'corp', { linkStart, userId })
  },
}
const names = Object.keys(steps)

/** With logins that contain this letter. */
async function startAll(letter: string): Promise<Map<string, () => Promise<unknown>>> {
  const nextSteps = new Map<string, () => Promise<unknown>>()
  for (const [index, name] of names.entries()) {
    const next = await steps[name]?.(`${letter}${index}${letter}`)
    if (next) nextSteps.set(name, next)
  }
  return nextSteps
}
const succeeds = async (next: (() => Promise<unknown>) | undefined): Promise<boolean> => {
  try {
    await next?.()
    return next !== undefined
  } catch {
    return false
  }
}

describe('an unfinished flow', () => {
  let first: Awaited<ReturnType<typeof startAll>>
  let second: Awaited<ReturnType<typeof startAll>>
  let third: Awaited<ReturnType<typeof startAll>>

  beforeAll(async () => {
    await restart({})
    ;[first, second] = [await startAll('a'), await startAll('b')]
    await restart({ PARLEY_CORE_SECRET_KEY: newKey, PARLEY_CORE_SECRET_KEY_PREVIOUS: secretKey })
  })
  test.each(names)('that was started under the previous key can be continued: %s', async (name) => {
    expect(await succeeds(first.get(name))).toBe(true)
  })

  describe('after the previous key is removed', () => {
    beforeAll(async () => {
      third = await startAll('c')
      await restart({ PARLEY_CORE_SECRET_KEY: newKey })
    })
    test.each(names)('is unknown if it was started before the rotation: %s', async (name) => {
      expect(await succeeds(second.get(name))).toBe(false)
    })
    test.each(names)('can be continued if it was started after the rotation: %s', async (name) => {
      expect(await succeeds(third.get(name))).toBe(true)
    })
  })
})

describe('a credential stored under the previous secret key', () => {
  const countValid = async (...digests: Buffer[]) => (await callersOf(env, digests)).size
  const rekey = (entries: { previous: Buffer; digest: Buffer }[]) => env.internal.rekeyCredentials({ entries })

  async function entriesFor(login: string) {
    await makeUser(env, login)
    const { session, bearer, cookie } = await signIn(env, login)
    const [token, handle] = [session.token, session.cookieHandle].map((secret) => credentialDigest('next', secret))
    if (!token || !handle) throw new Error('two secrets are needed')
    return [
      { previous: bearer, digest: token },
      { previous: cookie, digest: handle },
    ] as const
  }

  beforeAll(() => restart({}))

  test('is moved to the current key, even by concurrent requests', async () => {
    const [token, cookie] = await entriesFor('gina')
    const before = (await callersOf(env, [token.previous])).get(token.previous.toString('hex'))
    await Promise.all([rekey([token]), rekey([token]), rekey([cookie, token])])
    await rekey([token, cookie])
    expect(await countValid(token.digest, cookie.digest)).toBe(2)
    expect(await countValid(token.previous, cookie.previous)).toBe(0)
    const after = (await callersOf(env, [token.digest])).get(token.digest.toString('hex'))
    expect(after).toMatchObject({ credentialId: before?.credentialId, freshUntil: before?.freshUntil })
  })

  test('stays ended if it has ended, and an unknown one stays unknown', async () => {
    const [token, cookie] = await entriesFor('hugo')
    await env.internal.endCredentials({ digests: [token.previous], reason: 'logout' })
    await rekey([token, { previous: Buffer.alloc(32, 9), digest: Buffer.alloc(32, 8) }])
    expect(await countValid(token.previous, token.digest, Buffer.alloc(32, 8))).toBe(0)
    expect(await countValid(cookie.previous)).toBe(1)
  })

  test('is moved only to a valid digest; one call moves at most a thousand', async () => {
    const [token] = await entriesFor('ines')
    expect(await codeOf(rekey([{ ...token, digest: Buffer.alloc(31) }]))).toBe(Code.InvalidArgument)
    expect(await codeOf(rekey(Array.from({ length: 1_001 }, () => token)))).toBe(Code.InvalidArgument)
    expect(await countValid(token.previous)).toBe(1)
  })
})
