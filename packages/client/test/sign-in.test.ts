import { describe, expect, test } from '@jest/globals'
import { Code } from '@connectrpc/connect'
import { createParleyClient } from '@parley/client'

/** A client whose requests are remembered and answered with `answer`. */
function clientAnswered(status: number, answer: unknown, headers: Record<string, string> = {}) {
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

const ada = { success: true, user: { id: 'U1', login: 'ada' }, token: 'prl_AT1' }

describe('sign-in', () => {
  test('keeps the token it is given', async () => {
    const { client, requests } = clientAnswered(200, ada)
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
  ])('status %i is an error with the server’s words', async (status, code) => {
    const { client } = clientAnswered(status, { error: 'no' }, { 'retry-after': '7' })
    const failure = await client.signIn({ login: 'ada', password: 'pw' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code, rawMessage: 'no' })
    expect(client.token).toBeUndefined()
  })
})

test('sign-out presents the token, then forgets it', async () => {
  const { client, requests } = clientAnswered(200, { success: true })
  client.token = 'prl_AT1'
  await client.signOut()
  expect(requests[0]?.url).toBe('http://chat.test/auth/logout')
  expect(requests[0]?.headers.get('authorization')).toBe('Bearer prl_AT1')
  expect(client.token).toBeUndefined()
})
