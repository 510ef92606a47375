import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { createParleyClient, type ParleyClient } from '@parley/client'

function clientAnsweredWith(status: number, answer: unknown, headers: Record<string, string> = {}) {
  const requests: { url: string; headers: Headers; body: unknown }[] = []
  const client = createParleyClient({
    baseUrl: 'http://chat.test/',
    fetch: async (input, init) => {
      const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
      requests.push({
        url: input instanceof Request ? input.url : String(input),
        headers: new Headers(init?.headers),
        body,
      })
      return Response.json(answer, { status, headers })
    },
  })
  return { client, requests }
}

async function serveResponses(respond: (response: ServerResponse) => unknown) {
  const server = createServer((_, response) => void respond(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

const ada = { success: true, user: { id: 'U1', login: 'ada' }, token: 'prl_AT1' }

describe('sign-in', () => {
  test('stores the token that it receives', async () => {
    const { client, requests } = clientAnsweredWith(200, ada)
    expect(await client.signIn({ login: 'ada', password: 'pw' })).toEqual({
      userId: 'U1',
      login: 'ada',
      token: 'prl_AT1',
    })
    expect(client.token).toBe('prl_AT1')
    expect(requests).toMatchObject([
      { url: 'http://chat.test/auth/login', body: { identifier: 'ada', password: 'pw' } },
    ])
  })

  test.each([
    [400, Code.InvalidArgument],
    [401, Code.Unauthenticated],
    [429, Code.ResourceExhausted],
    [503, Code.Unavailable],
  ])('fails with the server’s message for status %i', async (status, code) => {
    const { client } = clientAnsweredWith(status, { error: 'no' }, { 'retry-after': '7' })
    const failure = await client.signIn({ login: 'ada', password: 'pw' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code, rawMessage: 'no' })
    expect(client.token).toBeUndefined()
  })
})

describe('a server that does not answer', () => {
  const person = { login: 'ada', password: 'pw' }
  const returnedTo = 'https://app.test/?state=S&iss=http://chat.test&code=C'
  const pending = { url: '', redirectUri: '', state: 'S', codeVerifier: 'V', issuer: 'http://chat.test' }
  const calls: [string, (client: ParleyClient) => Promise<unknown>][] = [
    ['a sign-in', (client) => client.signIn(person)],
    ['a sign-out', (client) => client.signOut()],
    ['the request for a password reset', (client) => client.account.requestPasswordReset({ email: 'ada@example.org' })],
    ['the exchange of a code', (client) => client.authorization.complete(pending, returnedTo)],
  ]

  test.each(calls)('makes %s fail after timeoutMs', async (_, call) => {
    await using server = await serveResponses(() => undefined)
    const client = createParleyClient({ baseUrl: server.url, timeoutMs: 20 })
    await expect(call(client)).rejects.toMatchObject({ code: Code.DeadlineExceeded })
  })

  test('makes a sign-in fail even in the middle of a response', async () => {
    await using server = await serveResponses((response) => response.writeHead(200).write('{"success":'))
    const client = createParleyClient({ baseUrl: server.url, timeoutMs: 20 })
    await expect(client.signIn(person)).rejects.toMatchObject({ code: Code.DeadlineExceeded })
  })
})

test('a signed-in user verifies a further address', async () => {
  const { client, requests } = clientAnsweredWith(200, { success: true })
  client.token = 'prl_AT1'
  Object.assign(globalThis, { document: { cookie: 'parley_csrf=own' } })
  try {
    await client.account.requestEmailCode({ email: 'ada@example.org' })
    await client.account.confirmEmailCode({ email: 'ada@example.org', code: '123456', currentPassword: 'pw' })
  } finally {
    Reflect.deleteProperty(globalThis, 'document')
  }
  expect(requests.map(({ url, body }) => [url, body])).toEqual([
    ['http://chat.test/auth/verify-email/request-code', { email: 'ada@example.org' }],
    [
      'http://chat.test/auth/verify-email/confirm-code',
      { email: 'ada@example.org', code: '123456', currentPassword: 'pw' },
    ],
  ])
  for (const { headers } of requests) {
    expect(headers.get('authorization')).toBe('Bearer prl_AT1')
    expect(headers.get('x-csrf-token')).toBe('own')
  }
})

test.each([
  ['parley_csrf=plain', 'plain'],
  ['a=1; parley_csrf=planted; __Host-parley_csrf=own', 'own'],
  ['other_parley_csrf=x', null],
])('sign-out in a page with the cookies %s sends this CSRF token: %s', async (cookie, token) => {
  const { client, requests } = clientAnsweredWith(200, { success: true })
  Object.assign(globalThis, { document: { cookie } })
  try {
    await client.signOut()
  } finally {
    Reflect.deleteProperty(globalThis, 'document')
  }
  expect(requests[0]?.headers.get('x-csrf-token')).toBe(token)
})

test('sign-out presents the token, then forgets it', async () => {
  const { client, requests } = clientAnsweredWith(200, { success: true })
  client.token = 'prl_AT1'
  await client.signOut()
  expect(requests[0]?.url).toBe('http://chat.test/auth/logout')
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer prl_AT1')
  expect(client.token).toBeUndefined()
})

test('an account is created in three steps, and its owner is signed in', async () => {
  const { client, requests } = clientAnsweredWith(200, { ...ada, completionToken: 'C1' })
  await client.account.requestRegistrationCode({ email: 'ada@example.org' })
  const { token } = await client.account.verifyRegistrationCode({ email: 'ada@example.org', code: '123456' })
  await client.account.completeRegistration({ token, login: 'ada', password: 'pw' })
  expect(client.token).toBe('prl_AT1')
  expect(requests.map(({ url, body }) => [url, body])).toEqual([
    ['http://chat.test/auth/register', { email: 'ada@example.org' }],
    ['http://chat.test/auth/register/verify-code', { email: 'ada@example.org', code: '123456' }],
    [
      'http://chat.test/auth/register/complete',
      { token: 'C1', login: 'ada', password: 'pw', passwordConfirmation: 'pw' },
    ],
  ])
})

test('an invite is fetched and accepted, with a cookie-only session if requested', async () => {
  const { client, requests } = clientAnsweredWith(200, { success: true, user: ada.user, email: 'ada@example.org' })
  expect(await client.account.getInvite({ token: 'I1' })).toEqual({ email: 'ada@example.org' })
  const account = { token: 'I1', login: 'ada', password: 'pw', cookieOnly: true }
  expect(await client.account.acceptInvite(account)).toEqual({ userId: 'U1', login: 'ada', token: '' })
  expect(client.token).toBeUndefined()
  expect(requests.map(({ url, body }) => [url, body])).toEqual([
    ['http://chat.test/auth/invite', { token: 'I1' }],
    ['http://chat.test/auth/invite/accept', { ...account, passwordConfirmation: 'pw' }],
  ])
})

test('a new password is set with the token of a mailed link', async () => {
  const { client, requests } = clientAnsweredWith(200, { message: 'done' })
  await client.account.requestPasswordReset({ email: 'ada@example.org' })
  await client.account.resetPassword({ token: 'T1', password: 'new' })
  expect(requests.map(({ url, body }) => [url, body])).toEqual([
    ['http://chat.test/auth/forgot-password', { email: 'ada@example.org' }],
    ['http://chat.test/auth/reset-password', { token: 'T1', password: 'new' }],
  ])
})
