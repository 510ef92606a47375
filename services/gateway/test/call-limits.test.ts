import { once } from 'node:events'
import { connect as http2, constants, type IncomingHttpHeaders } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { useImageFleet } from './_image-fleet.ts'

const fleet = useImageFleet()

const createMessage = 'svc.api.v1.MessageService/CreateMessage'
const getServer = 'svc.discovery.v1.ServerDiscoveryService/GetServer'

async function post(url: string, method: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/api/connect/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"roomId":"R1","body":"hello"}',
  })
  const body = (await response.json()) as { code?: string; details?: { type: string }[] }
  return { status: response.status, retryAfter: Number(response.headers.get('retry-after')), body }
}
const as = (userId: string) => ({ authorization: `Bearer ${fleet.tokenOf(userId)}` })

test('a user may make a limited number of calls of a kind per minute', async () => {
  const { url } = await fleet.start({ PARLEY_LIMITS_WRITES_PER_MINUTE: '3' })
  const calls = async (userId: string) => {
    const statuses = []
    for (let n = 0; n < 4; n++) statuses.push((await post(url, createMessage, as(userId))).status)
    return statuses
  }
  // A new minute may begin in between.
  await eventually(async () => {
    expect(await calls('Ualice')).toEqual([429, 429, 429, 429])
    const refused = await post(url, createMessage, as('Ualice'))
    expect(refused.body.code).toBe('resource_exhausted')
    expect(refused.body.details?.map(({ type }) => type)).toEqual(['google.rpc.RetryInfo'])
    expect(refused.retryAfter).toBeGreaterThan(0)
    expect(refused.retryAfter).toBeLessThanOrEqual(60)
  })
  expect((await post(url, createMessage, as('Ubob'))).status).toBe(200)
  expect((await post(url, getServer)).status).toBe(200)
})

test('anonymous callers are counted by the network of the address that trusted proxies report', async () => {
  const { url } = await fleet.start({
    PARLEY_LIMITS_READS_PER_MINUTE: '2',
    PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.0/8',
  })
  const from = async (address: string) => (await post(url, getServer, { 'x-forwarded-for': address })).status
  await eventually(async () => (await from('198.51.100.1')) === 429)
  expect(await from('198.51.100.2')).toBe(200)
  // Each address is used once; only together do they exceed the limit.
  let n = 0
  await eventually(async () => (await from(`2001:db8::${(++n).toString(16)}`)) === 429)
  await eventually(async () => (await from(`6.6.${++n >> 8}.${n & 255}, 198.51.100.3`)) === 429)
})

test('calls without a valid credential are limited by network', async () => {
  const { url } = await fleet.start({
    PARLEY_LIMITS_UNAUTHENTICATED_PER_MINUTE: '20',
    PARLEY_WEBSERVER_TRUSTED_PROXIES: '127.0.0.0/8',
  })
  const from = (address: string, headers: Record<string, string> = {}) =>
    post(url, createMessage, { ...headers, 'x-forwarded-for': address })
  const unknown = (n: number) => ({ authorization: `Bearer prl_ATunknown${n}` })
  const known = as('Ufred')
  expect((await from('198.51.100.7', known)).status).toBe(200)
  const statuses = async () => {
    const each = []
    for (let n = 0; n < 21; n++) each.push((await from('198.51.100.7', n % 4 ? unknown(n) : {})).status)
    return each
  }
  // A new minute may begin in between.
  await eventually(async () => {
    expect(await statuses()).toEqual(Array(21).fill(429))
    const refused = await from('198.51.100.7', unknown(1))
    expect(refused.body.code).toBe('resource_exhausted')
    expect(refused.body.details?.map(({ type }) => type)).toEqual(['google.rpc.RetryInfo'])
    expect(refused.retryAfter).toBeGreaterThan(0)
    const before = fleet.lookUps()
    for (let n = 0; n < 5; n++) expect((await from('198.51.100.7', unknown(n))).status).toBe(429)
    expect(fleet.lookUps()).toBe(before)
    // Callers with a known credential continue, and so do other networks.
    expect((await from('198.51.100.7', known)).status).toBe(200)
  })
  expect((await from('198.51.100.8', unknown(1))).status).toBe(401)
  expect((await from('198.51.100.8', as('Ugina'))).status).toBe(200)
  expect((await post(url, getServer, { 'x-forwarded-for': '198.51.100.7' })).status).toBe(200)
})

test('concurrent calls without a valid credential are limited, too', async () => {
  const { url } = await fleet.start({ PARLEY_LIMITS_UNAUTHENTICATED_PER_MINUTE: '10' })
  const [before, release] = [fleet.lookUps(), fleet.holdLookUps()]
  const burst = Array.from({ length: 80 }, (_, n) =>
    post(url, createMessage, { authorization: `Bearer prl_ATatonce${n}` }),
  )
  await eventually(() => fleet.lookUps() - before >= 10)
  for (let n = 0; n < 5; n++) await post(url, getServer)
  release()
  const statuses = (await Promise.all(burst)).map(({ status }) => status)
  // A new minute may begin in between.
  expect(fleet.lookUps() - before).toBeLessThanOrEqual(20)
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(60)
})

test('many concurrent people of one network are all admitted', async () => {
  const { url } = await fleet.start({ PARLEY_LIMITS_UNAUTHENTICATED_PER_MINUTE: '10' })
  const people = Array.from({ length: 60 }, (_, n) => as(`Uoffice${n}`))
  const [before, release] = [fleet.lookUps(), fleet.holdLookUps()]
  const calls = people.map((one) => post(url, createMessage, one))
  await eventually(() => fleet.lookUps() - before >= 10)
  for (let n = 0; n < 5; n++) await post(url, getServer)
  expect(fleet.lookUps() - before).toBe(10)
  release()
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses).toEqual(people.map(() => 200))
})

test('disconnected callers of a burst are not looked up', async () => {
  const { url } = await fleet.start({ PARLEY_LIMITS_UNAUTHENTICATED_PER_MINUTE: '10' })
  const [before, release] = [fleet.lookUps(), fleet.holdLookUps()]
  const stays = Array.from({ length: 10 }, (_, n) => post(url, createMessage, as(`Ustays${n}`)))
  await eventually(() => fleet.lookUps() - before === 10)
  const leaving = new AbortController()
  const path = `/api/connect/${createMessage}`
  const headers = (userId: string) => ({ 'content-type': 'application/proto', ...as(userId) })
  const leave = async (n: number) => {
    const call = { method: 'POST', headers: headers(`Uleaves${n}`), signal: leaving.signal }
    await fetch(url + path, call).catch(() => undefined)
  }
  const left = Array.from({ length: 40 }, (_, n) => leave(n))
  const session = http2(url)
  const streams = Array.from({ length: 40 }, (_, n) => {
    const call = { ':method': 'POST', ':path': path, ...headers(`Ustreams${n}`) }
    return session.request(call).on('error', () => undefined)
  })
  for (let n = 0; n < 5; n++) await post(url, getServer)
  leaving.abort()
  for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL)
  await Promise.all([...left, ...streams.map((stream) => once(stream, 'close'))])
  for (let n = 0; n < 5; n++) await post(url, getServer)
  // Not exactly ten if a minute began in between.
  const atRelease = fleet.lookUps()
  release()
  expect((await Promise.all(stays)).map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect((await post(url, createMessage, as('Ulast'))).status).toBe(200)
  expect(fleet.lookUps() - atRelease).toBe(1)
  session.destroy()
})

test('each of two processes limits calls, and one continues to do so without Redis', async () => {
  const settings = { PARLEY_LIMITS_WRITES_PER_MINUTE: '5' }
  const [one, other] = [await fleet.start(settings), await fleet.start(settings)]
  const write = async (url: string, userId: string) => (await post(url, createMessage, as(userId))).status
  await eventually(async () => (await write(one.url, 'Ucarol')) === 429)
  await eventually(async () => (await write(other.url, 'Ucarol')) === 429)
  await fleet.redis.stop()
  expect(await write(one.url, 'Udora')).toBe(200)
  await eventually(async () => (await write(one.url, 'Udora')) === 429)
  await fleet.redis.start()
})

test('processes with one Redis count calls together', async () => {
  const limit = 500
  const settings = { PARLEY_LIMITS_WRITES_PER_MINUTE: `${limit}` }
  const [one, other] = [await fleet.start(settings), await fleet.start(settings)]
  const write = async (url: string, userId: string) => (await post(url, createMessage, as(userId))).status
  let users = 0
  await eventually(async () => {
    const userId = `Ushares${users++}`
    for (let n = 0; n < limit; n += 50) await Promise.all(Array.from({ length: 50 }, () => write(one.url, userId)))
    let admitted = 0
    for (; (await write(other.url, userId)) === 200; admitted++) await sleep(20)
    // On its own this process would admit all calls, as it does if a new minute begins in between.
    expect(admitted).toBeLessThan(limit)
  })
})

test('a limit of 0 means no limit', async () => {
  const { url } = await fleet.start({ PARLEY_LIMITS_WRITES_PER_MINUTE: '0' })
  for (let n = 0; n < 50; n++) expect((await post(url, createMessage, as('Uerin'))).status).toBe(200)
})

test.each([
  ['grpc-timeout', '99999999H', 'application/grpc'],
  ['grpc-timeout', '99999999M', 'application/grpc-web+proto'],
  ['connect-timeout-ms', '9999999999', 'application/json'],
])('%s: %s is refused without a warning of Node.js', async (name, value, type) => {
  const { url } = await fleet.start({})
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  const session = http2(url)
  const call = session.request({ ':method': 'POST', ':path': `/${getServer}`, 'content-type': type, [name]: value })
  let answer = ''
  call.on('trailers', (trailers: IncomingHttpHeaders) => (answer += String(trailers['grpc-message'])))
  call.on('data', (data) => (answer += String(data)))
  call.end(type === 'application/json' ? '{}' : Buffer.alloc(5))
  await once(call, 'end')
  session.close()
  // A warning is reported in the next tick.
  await sleep(0)
  process.off('warning', onWarning)
  expect(decodeURIComponent(answer)).toContain('ms must be <= ')
  expect(warnings).toEqual([])
})
