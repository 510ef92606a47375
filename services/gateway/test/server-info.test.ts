import { get } from 'node:http'
import { urlToHttpOptions } from 'node:url'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { getIntrospectionQuery } from 'graphql'
import { eventually } from '@parley/testkit'
import { useImageFleet } from './_image-fleet.ts'

const fleet = useImageFleet()
let url: string

beforeAll(async () => {
  url = (await fleet.start()).url
})
beforeEach(() => {
  fleet.server.registration = true
  fleet.server.providers = [
    { id: 'work', type: 'oidc', label: 'Work' },
    { id: 'home', type: 'oidc', label: 'Home' },
    { id: 'hub', type: 'github', label: 'Hub' },
  ]
})

const work = { id: 'work', type: 'oidc', label: 'Work', loginUrl: '/auth/providers/work' }
const otherOrigin = { origin: 'https://elsewhere.example.org' }

describe('GET /api/server', () => {
  test('returns the data of GetServer with older names', async () => {
    const response = await fetch(`${url}/api/server`, { headers: otherOrigin })
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toEqual({
      name: 'Lodge',
      version: '1.2',
      authMethods: ['password', 'oidc', 'github'],
      authProviders: [
        work,
        { id: 'home', type: 'oidc', label: 'Home', loginUrl: '/auth/providers/home' },
        { id: 'hub', type: 'github', label: 'Hub', loginUrl: '/auth/providers/hub' },
      ],
      registrationOpen: true,
      authorizeUrl: 'http://chat.example.org/oauth/authorize',
      welcomeMessage: 'Hello',
    })
  })

  test('does not list the method password if nobody can register', async () => {
    fleet.server.registration = false
    fleet.server.providers = []
    const answer: unknown = await (await fetch(`${url}/api/server`)).json()
    expect(answer).toMatchObject({ authMethods: [], authProviders: [], registrationOpen: false })
  })

  test('answers OPTIONS and HEAD, but not POST', async () => {
    const preflight = { method: 'OPTIONS', headers: { ...otherOrigin, 'access-control-request-method': 'GET' } }
    for (const init of [preflight, { method: 'OPTIONS', headers: otherOrigin }]) {
      const response = await fetch(`${url}/api/server`, init)
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    }
    expect((await fetch(`${url}/api/server`, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(`${url}/api/server`, { method: 'POST' })).status).toBe(405)
  })
})

describe('GraphQL', () => {
  const post = async (query: string | object[], headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(Array.isArray(query) ? query : { query }),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as object }
  }

  test('returns the same data, to anyone from any origin', async () => {
    const fields = 'name version directRegistrationEnabled authMethods authorizeUrl'
    const profile = 'profile { name description welcomeMessage logoUrl bannerUrl }'
    const answer = await post(
      `{ server { ${fields} ${profile} authProviders { id type label loginUrl } } }`,
      otherOrigin,
    )
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.body).toMatchObject({
      data: {
        server: {
          ...{ name: 'Lodge', version: '1.2', directRegistrationEnabled: true },
          authMethods: ['password', 'oidc', 'github'],
          profile: { name: 'Lodge', description: null, welcomeMessage: 'Hello', logoUrl: null, bannerUrl: null },
          authProviders: [work, { id: 'home' }, { id: 'hub' }],
        },
      },
    })
  })

  test('accepts GET, and introspection', async () => {
    const response = await fetch(`${url}/api/graphql?query=${encodeURIComponent('{ server { name } }')}`)
    expect(await response.json()).toEqual({ data: { server: { name: 'Lodge' } } })
    expect(JSON.stringify((await post(getIntrospectionQuery())).body)).toContain('"AuthProvider"')
  })

  test('accepts a whole URL as request target, with any host', async () => {
    const path = `http://chat.example.org:999999/api/graphql?query=${encodeURIComponent('{ server { name } }')}`
    const status = await new Promise((resolve, reject) => {
      get({ ...urlToHttpOptions(new URL(url)), path }, (answer) => resolve(answer.resume().statusCode)).on(
        'error',
        reject,
      )
    })
    expect(status).toBe(200)
  })

  const many = (length: number) => Array.from({ length }, (_, n) => `a${n}: server { name }`).join(' ')
  test.each([
    ['several queries at once', [{ query: '{ server { name } }' }, { query: '{ server { name } }' }]],
    ['too many fields', `{ ${many(251)} }`],
    ['too many tokens', `{ ${many(1000)} }`],
    ['a malformed query', '{ server { '],
    ['unknown fields', '{ secrets }'],
    ['a mutation', 'mutation { server { name } }'],
  ])('refuses %s', async (_, query) => {
    const { status, body } = await post(query)
    expect([200, 400]).toContain(status)
    expect(body).toMatchObject({ errors: [expect.anything()] })
    expect(body).not.toHaveProperty('data.server')
  })

  test('answers an invalid query with 400 if the client knows the newer media type', async () => {
    const accept = 'application/graphql-response+json, application/json;q=0.5'
    const { status, headers } = await post('{ secrets }', { accept })
    expect([status, headers.get('content-type')]).toEqual([400, 'application/graphql-response+json; charset=utf-8'])
    expect((await post('{ server { name } }', { accept })).status).toBe(200)
  })

  test('accepts only JSON, and runs the named operation with variables', async () => {
    expect((await post('{ server { name } }', { 'content-type': 'text/plain' })).status).toBe(415)
    const query = 'query a { server { name } } query b($n: Boolean!) { server { version @include(if: $n) } }'
    const body = JSON.stringify({ query, operationName: 'b', variables: { n: true } })
    const response = await fetch(`${url}/api/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(await response.json()).toEqual({ data: { server: { version: '1.2' } } })
  })

  test('refuses a body that is too large', async () => {
    const { status, body } = await post(`{ server { name } } # ${'x'.repeat(70_000)}`)
    expect(status).toBe(429)
    expect(body).toMatchObject({ errors: [{ message: expect.stringContaining('larger than') }] })
  })

  test.each(['PUT', 'DELETE'])('refuses %s', async (method) => {
    expect((await fetch(`${url}/api/graphql`, { method })).status).toBe(405)
  })
})

test('too many requests are refused', async () => {
  const { url: limited } = await fleet.start({ PARLEY_LIMITS_READS_PER_MINUTE: '1' })
  const statusOf = async (path: string) => (await fetch(`${limited}${path}`)).status
  for (const path of ['/api/server', '/api/graphql?query={server{name}}'])
    await eventually(async () => (await statusOf(path)) === 429)
})

test('/api/server and GraphQL report an outage', async () => {
  fleet.server.isUnavailable = true
  for (const path of ['/api/server', '/api/graphql?query={server{name}}']) {
    const response = await fetch(`${url}${path}`)
    expect([response.status, response.headers.get('cache-control')]).toEqual([503, 'no-store'])
  }
  fleet.server.isUnavailable = false
})
