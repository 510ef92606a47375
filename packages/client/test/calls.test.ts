import { describe, expect, test } from '@jest/globals'
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { MessageService, RoomDirectoryService, RoomService } from '@parley/contracts/api'
import { authorization } from '../src/calls/authorization.ts'
import { idempotencyKeys } from '../src/calls/idempotency-keys.ts'
import { retries } from '../src/calls/retries.ts'

const quick = { initialMs: 1, maxMs: 2 }

function server(failures: number, options: { retryAfter?: string; code?: Code } = {}) {
  const calls: Headers[] = []
  const answer = (header: Headers) => {
    calls.push(new Headers(header))
    const metadata = options.retryAfter === undefined ? undefined : { 'retry-after': options.retryAfter }
    if (calls.length <= failures) throw new ConnectError('not now', options.code ?? Code.Unavailable, metadata)
    return {}
  }
  const transport = createRouterTransport(
    ({ service }) => {
      service(MessageService, { createMessage: (_, { requestHeader }) => answer(requestHeader) })
      service(RoomService, {
        banMember: (_, { requestHeader }) => answer(requestHeader),
        joinRoom: (_, { requestHeader }) => answer(requestHeader),
      })
      service(RoomDirectoryService, { listRooms: (_, { requestHeader }) => answer(requestHeader) })
    },
    { transport: { interceptors: [authorization(() => 'prl_AT1'), idempotencyKeys, retries(quick)] } },
  )
  return {
    calls,
    message: createClient(MessageService, transport),
    room: createClient(RoomService, transport),
    directory: createClient(RoomDirectoryService, transport),
  }
}

describe('calls that are safe to repeat', () => {
  test('a call that changes nothing is repeated until it succeeds', async () => {
    const { directory, calls } = server(3)
    await directory.listRooms({})
    expect(calls).toHaveLength(4)
  })

  test('an idempotent change is repeated', async () => {
    const { room, calls } = server(1)
    await room.joinRoom({ roomId: 'R1' })
    expect(calls).toHaveLength(2)
  })

  test('a create call is repeated under the same key', async () => {
    const { message, calls } = server(2)
    await message.createMessage({ roomId: 'R1', body: 'hi' })
    const keys = calls.map((header) => header.get('idempotency-key'))
    expect(keys[0]).toMatch(/^[\x21-\x7e]{1,128}$/)
    expect(keys).toEqual([keys[0], keys[0], keys[0]])
  })

  test('each create call has its own key, or the one its caller chose', async () => {
    const { message, calls } = server(0)
    await message.createMessage({})
    await message.createMessage({})
    await message.createMessage({}, { headers: { 'Idempotency-Key': 'mine' } })
    const keys = calls.map((header) => header.get('idempotency-key'))
    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBe('mine')
  })

  test('a call fails after four attempts', async () => {
    const { directory, calls } = server(9)
    await expect(directory.listRooms({})).rejects.toMatchObject({ code: Code.Unavailable })
    expect(calls).toHaveLength(4)
  })
})

describe('calls that are not repeated', () => {
  test('a change that is not idempotent', async () => {
    const { room, calls } = server(1)
    await expect(room.banMember({})).rejects.toMatchObject({ code: Code.Unavailable })
    expect(calls).toHaveLength(1)
    expect(calls[0]?.has('idempotency-key')).toBe(false)
  })

  test('a permanent failure', async () => {
    const { directory, calls } = server(1, { code: Code.PermissionDenied })
    await expect(directory.listRooms({})).rejects.toMatchObject({ code: Code.PermissionDenied })
    expect(calls).toHaveLength(1)
  })

  test('a call whose deadline is earlier than the retry time that the server requests', async () => {
    const { directory, calls } = server(1, { retryAfter: '30' })
    await expect(directory.listRooms({}, { headers: { 'Connect-Timeout-Ms': '5000' } })).rejects.toMatchObject({
      code: Code.Unavailable,
    })
    expect(calls).toHaveLength(1)
  })

  test('a call aborted before its retry', async () => {
    const { directory, calls } = server(1, { retryAfter: '30' })
    const abort = new AbortController()
    const call = directory.listRooms({}, { signal: abort.signal })
    abort.abort()
    await expect(call).rejects.toMatchObject({ code: Code.Canceled })
    expect(calls.length).toBeLessThan(2)
  })
})

test('the token is sent unless the call has its own Authorization header', async () => {
  const { directory, calls } = server(0)
  await directory.listRooms({})
  await directory.listRooms({}, { headers: { Authorization: 'Bearer other' } })
  expect(calls.map((header) => header.get('authorization'))).toEqual(['Bearer prl_AT1', 'Bearer other'])
})
