import type { OutgoingHttpHeaders } from 'node:http'
import { beforeAll, expect, test } from '@jest/globals'
import { forwardedHeaders } from '@parley/credentials'
import { eventually } from '@parley/testkit'
import { useEnv, waitUntilReady, secretKey, type Node } from './_env.ts'
import { Socket } from '@parley/testkit/realtime-socket'

const maxAttempts = 12
const refused = {
  code: 'temporarily_unavailable',
  message: expect.stringContaining('unauthenticated'),
  close: 1013,
}
const unknown = { code: 'authentication_required', close: 1008 }

const env = useEnv()
let node: Node
beforeAll(async () => {
  node = await env.start({ PARLEY_LIMITS_UNAUTHENTICATED_PER_MINUTE: String(maxAttempts) })
  await waitUntilReady(node)
})

async function hello(bearerToken: string | undefined, headers: OutgoingHttpHeaders, url = node.url) {
  const socket = await Socket.open(url, headers)
  socket.send({ case: 'hello', value: { protocolVersion: 1, ...(bearerToken !== undefined && { bearerToken }) } })
  const first = await eventually(() => socket.frames[0] ?? Promise.reject(new Error('no frame was received')))
  if (first.case !== 'error') return socket.close()
  return { code: first.value.code, message: first.value.message, close: (await socket.waitUntilClosed()).code }
}
const from = (address: string) => forwardedHeaders({ secretKey }, address)

/**
 * Sends hellos until a network has no attempts left, then runs `more`. All of it is repeated if a new minute begins.
 */
async function exhaust(send: (n: number) => ReturnType<typeof hello>, more: () => Promise<void>): Promise<void> {
  await eventually(async () => {
    const outcomes = []
    for (let n = 0; n <= maxAttempts; n++) outcomes.push(await send(n))
    expect(outcomes.at(-1)).toEqual(refused)
    await more()
  })
}

test('hellos without a valid credential are counted by network and limited', async () => {
  const known = env.signIn('Ubob')
  expect(await hello(known, from('198.51.100.7'))).toBeUndefined()
  await exhaust(
    (n) => hello(n % 4 ? `prl_ATmadeup${n}` : undefined, from('198.51.100.7')),
    async () => {
      const before = env.requests.accounts
      expect(await hello('prl_ATmadeup', from('198.51.100.7'))).toEqual(refused)
      expect(env.requests.accounts).toBe(before)
    },
  )

  expect(await hello(known, from('198.51.100.7'))).toBeUndefined()
  expect(await hello('prl_ATmadeup', from('203.0.113.8'))).toMatchObject(unknown)
  expect(await hello(env.signIn('Ugina'), from('203.0.113.8'))).toBeUndefined()
})

test('concurrent hellos are limited like sequential ones', async () => {
  const burst = Array.from({ length: 60 }, (_, n) => hello(`prl_ATatonce${n}`, from('198.51.100.37')))
  const outcomes = await Promise.all(burst)
  expect(outcomes.filter((end) => end?.code === unknown.code).length).toBeLessThanOrEqual(2 * maxAttempts)
  const people = Array.from({ length: 60 }, (_, n) => hello(env.signIn(`Uoffice${n}`), from('203.0.113.37')))
  expect(await Promise.all(people)).toEqual(people.map(() => undefined))
})

test('the credentials of sockets that close while they wait are not looked up', async () => {
  const [before, release] = [env.lookedUp.size, env.hold('accounts')]
  const hellos = async (name: string, count: number) => {
    const sockets = await Promise.all(Array.from({ length: count }, () => Socket.open(node.url, from('198.51.100.47'))))
    sockets.forEach((socket, n) =>
      socket.send({ case: 'hello', value: { protocolVersion: 1, bearerToken: env.signIn(`U${name}${n}`) } }),
    )
    return sockets
  }
  const stay = await hellos('stays', maxAttempts)
  await eventually(() => env.lookedUp.size - before === maxAttempts)
  const leave = await hellos('leaves', 20)
  for (const socket of leave) socket.close()
  await Promise.all(leave.map((socket) => socket.waitUntilClosed()))
  release()
  await Promise.all(stay.map((socket) => socket.first('hello')))
  const [last] = await hellos('last', 1)
  await last?.first('hello')
  // If a new minute begins, some of the twenty that left may be looked up, but not all.
  expect(env.lookedUp.size - before).toBeLessThanOrEqual(2 * maxAttempts + 1)
})

test('an IPv6 /64 is one network', async () => {
  await exhaust(
    (n) => hello('prl_ATmadeup', from(`2001:db8:1:2::${n + 1}`)),
    async () => expect(await hello('prl_ATmadeup', from('2001:db8:1:2:ffff::1'))).toEqual(refused),
  )
  expect(await hello('prl_ATmadeup', from('2001:db8:9:2::1'))).toMatchObject(unknown)
})

test('addresses claimed by the client itself are ignored', async () => {
  const claims = (n: number) => ({ ...from(`192.0.2.${n}`), 'parley-forwarded-for-proof': 'made-up' })
  await exhaust(
    (n) => hello('prl_ATmadeup', claims(n)),
    async () => expect(await hello('prl_ATmadeup', claims(200))).toEqual(refused),
  )
})

test('the address from a trusted proxy is used', async () => {
  const node = await env.start({
    PARLEY_LIMITS_UNAUTHENTICATED_PER_MINUTE: '1',
    PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.0/8',
  })
  await waitUntilReady(node)
  for (const n of [1, 2, 3]) {
    const socket = await Socket.open(node.url, { 'x-forwarded-for': `6.6.6.6, 198.51.${n}.7` })
    socket.send({ case: 'hello', value: { protocolVersion: 1, bearerToken: 'prl_ATmadeup' } })
    expect((await socket.first('error')).code).toBe('authentication_required')
  }
})

test('the address from a second header line of a proxy is used', async () => {
  const node = await env.start({
    PARLEY_LIMITS_UNAUTHENTICATED_PER_MINUTE: '1',
    PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.0/8',
  })
  await waitUntilReady(node)
  const outcomes = []
  for (const n of [1, 2, 3, 4])
    outcomes.push(await hello('prl_ATmadeup', { 'x-forwarded-for': [`6.6.${n}.6`, '198.51.100.9'] }, node.url))
  // A new minute may begin once.
  expect(outcomes).toContainEqual(refused)
})
