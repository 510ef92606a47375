import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { create, toBinary } from '@bufbuild/protobuf'
import { Code, createParleyClient } from '@parley/client'
import { GetServerResponseSchema } from '@parley/contracts/discovery'

const baseUrl = 'https://chat.example.org'
const redirectUri = 'https://client.example/back?x=1'
const validLogin = { authorizeUrl: '/oauth/authorize', issuer: baseUrl }

function clientOf(login: { authorizeUrl?: string; issuer?: string }) {
  const exchanges: unknown[] = []
  const client = createParleyClient({
    baseUrl: `${baseUrl}/`,
    fetch: async (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      if (url.includes('GetServer')) {
        const message = toBinary(GetServerResponseSchema, create(GetServerResponseSchema, { login }))
        return new Response(message, { headers: { 'content-type': 'application/proto' } })
      }
      exchanges.push([url, typeof init?.body === 'string' ? JSON.parse(init.body) : undefined])
      return Response.json({ access_token: 'prl_AT1', token_type: 'Bearer', user: { id: 'U1', login: 'ada' } })
    },
  })
  return { client, exchanges }
}

const redirectWith = (answer: Record<string, string>): string => {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer)) url.searchParams.append(name, value)
  return url.href
}

describe('the authorization-code flow', () => {
  test('turns the answer of the expected server into a session', async () => {
    const { client, exchanges } = clientOf(validLogin)
    const pending = await client.authorization.begin({ redirectUri })
    const { origin, pathname, searchParams } = new URL(pending.url)
    expect(origin + pathname).toBe(`${baseUrl}/oauth/authorize`)
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      redirect_uri: redirectUri,
      state: pending.state,
      code_challenge: createHash('sha256').update(pending.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    expect(pending.codeVerifier).toMatch(/^[\w-]{43}$/)

    const stored = JSON.parse(JSON.stringify(pending)) as typeof pending
    const returned = redirectWith({ code: 'prl_AC1', state: pending.state, iss: baseUrl })
    const ada = { userId: 'U1', login: 'ada', token: 'prl_AT1' }
    expect(await client.authorization.complete(stored, returned)).toEqual(ada)
    expect(client.token).toBe('prl_AT1')
    const fields = { code: 'prl_AC1', code_verifier: pending.codeVerifier, redirect_uri: redirectUri }
    expect(exchanges).toEqual([[`${baseUrl}/oauth/token`, { grant_type: 'authorization_code', ...fields }]])
  })

  test.each([
    ['another server', { iss: 'https://other.example' }, Code.FailedPrecondition],
    ['a server that names no issuer', { iss: '' }, Code.FailedPrecondition],
    ['another request', { state: 'another' }, Code.FailedPrecondition],
    ['a user who refused', { code: '', error: 'access_denied' }, Code.PermissionDenied],
    ['a server that reports an error', { code: '', error: 'server_error' }, Code.InvalidArgument],
    ['a server that sends no code', { code: '' }, Code.InvalidArgument],
  ])('exchanges no code for the answer of %s', async (_, changes, code) => {
    const { client, exchanges } = clientOf(validLogin)
    const pending = await client.authorization.begin({ redirectUri })
    const returned = redirectWith({ code: 'prl_AC1', state: pending.state, iss: baseUrl, ...changes })
    await expect(client.authorization.complete(pending, returned)).rejects.toMatchObject({
      code,
      rawMessage: expect.stringMatching(/.{10}/),
    })
    expect([exchanges, client.token]).toEqual([[], undefined])
  })

  test('exchanges no code for an answer that names two servers', async () => {
    const { client, exchanges } = clientOf(validLogin)
    const pending = await client.authorization.begin({ redirectUri })
    const twice = `${redirectWith({ code: 'prl_AC1', state: pending.state, iss: baseUrl })}&iss=https://other.example`
    await expect(client.authorization.complete(pending, twice)).rejects.toMatchObject({ code: Code.FailedPrecondition })
    expect(exchanges).toEqual([])
  })

  test.each([
    [
      'has its sign-in page on another server',
      { ...validLogin, authorizeUrl: 'https://other.example/oauth/authorize' },
    ],
    ['names another issuer', { ...validLogin, issuer: 'https://other.example' }],
    ['names itself as issuer, but over http', { ...validLogin, issuer: 'http://chat.example.org' }],
    ['names no issuer', { authorizeUrl: '/oauth/authorize' }],
  ])('does not begin with a server that %s', async (_, login) => {
    const attempt = clientOf(login).client.authorization.begin({ redirectUri })
    await expect(attempt).rejects.toMatchObject({ code: Code.FailedPrecondition })
  })
})
