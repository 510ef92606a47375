import { Code, ConnectError } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import type { Service } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { useEnv } from './_env.ts'

const env = useEnv()
let service: Service

beforeAll(async () => {
  env.rooms.set('R1', ['Ualice'])
  env.rooms.set('R2', ['Ualice'])
})

test('without a media server earlier calls are ended; one that cannot be ended does not block the others', async () => {
  const configured = await env.start()
  for (const roomId of ['R1', 'R2']) await env.as('Ualice').joinCall({ roomId })
  await configured[Symbol.asyncDispose]()
  await env.db.execute(
    sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'`,
  )
  await env.db.execute(sql`
    create trigger refuse before update on calls for each row when (old.room_id = 'R1') execute function refuse()
  `)
  service = await env.start({ PARLEY_LIVEKIT_ENABLED: 'false' }, { compareEveryMs: 50 })
  await eventually(() => expect(env.messaging.eventsOf('R2').at(-1)).toBe('call_ended reconciliation'))
  expect(env.messaging.eventsOf('R1').at(-1)).not.toBe('call_ended reconciliation')
  await env.db.execute(sql`drop trigger refuse on calls`)
  await eventually(() => expect(env.messaging.eventsOf('R1').at(-1)).toBe('call_ended reconciliation'))

  const alice = env.as('Ualice')
  expect((await alice.joinCall({ roomId: 'R1' })).joined).toBe(false)
  expect((await alice.leaveCall({ roomId: 'R1' })).left).toBe(false)
  expect((await alice.listActiveCalls({})).calls).toEqual([])
  expect((await alice.batchGetActiveCalls({ roomIds: ['R1'] })).calls).toEqual([])
  expect((await alice.listCallParticipants({ roomId: 'R1' })).participants).toEqual([])
  await expect(alice.getActiveCall({ roomId: 'R1' })).rejects.toMatchObject({ code: Code.NotFound })
  await expect(alice.getCallToken({ roomId: 'R1' })).rejects.toMatchObject({ code: Code.FailedPrecondition })
  const response = await fetch(`${service.url}/webhooks/livekit?x=1`, { method: 'POST', body: '{}' })
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({ error: 'voice calls are not configured' })
})

test('without a media server, a join repeated with the same key gets the same response', async () => {
  const replayed: (string | null)[] = []
  const options = {
    headers: { 'Idempotency-Key': 'off' },
    onHeader: (response: Headers) => replayed.push(response.get('Idempotency-Replayed')),
  }
  const join = (roomId: string) => env.as('Ualice').joinCall({ roomId }, options)
  for (const _ of [1, 2]) expect((await join('R1')).joined).toBe(false)
  expect(replayed).toEqual([null, 'true'])
  await expect(join('R2')).rejects.toMatchObject({ code: Code.InvalidArgument })
  await using other = await env.start()
  expect(other.url).toBeDefined()
  expect((await join('R1')).joined).toBe(false)
})

test('membership is checked even without a media server', async () => {
  const requests = (userId: string, roomId: string) => {
    const { joinCall, leaveCall, getCallToken, listCallParticipants } = env.as(userId)
    return Promise.allSettled(
      [joinCall, leaveCall, getCallToken, listCallParticipants].map((request) => request({ roomId })),
    ).then((answers) => answers.map((one) => (one.status === 'rejected' ? ConnectError.from(one.reason).code : 'ok')))
  }
  expect(await requests('Ualice', 'Rnowhere')).toEqual(Array.from({ length: 4 }, () => Code.NotFound))
  expect(await requests('Unobody', 'R1')).toEqual(Array.from({ length: 4 }, () => Code.PermissionDenied))
})

test('the process is ready without a media server, and closes its ports when it stops', async () => {
  const ready = `http://127.0.0.1:${service.internalPort}/readyz`
  expect((await fetch(ready)).status).toBe(200)
  await service[Symbol.asyncDispose]()
  await expect(fetch(ready)).rejects.toThrow()
  await expect(fetch(`${service.url}/`)).rejects.toThrow()
})
