import { connect } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openRedis, rateLimiter, type RedisClient } from '@parley/redis'
import { eventually, selfSignedCertificate, testRedis, tlsServer } from '@parley/testkit'
import { redisCheck } from '../src/redis.ts'
import { findingOf, problems } from './_found.ts'

const check = redisCheck('gateway')
const user = `doctor-${process.pid}`
let redis: Awaited<ReturnType<typeof testRedis>>
let admin: RedisClient

const envWith = (password: string) => {
  const url = new URL(redis.url)
  Object.assign(url, { username: user, password })
  return { PARLEY_REDIS_URL: url.href }
}

beforeAll(async () => {
  redis = await testRedis()
  admin = openRedis({ url: redis.url, name: 'test' })
  await new Promise<void>((resolve) => admin.once('ready', () => resolve()))
  await admin.call('ACL', 'SETUSER', user, 'on', '>right-password', '~*', '&*', '+@all')
})
afterAll(async () => {
  await eventually(() => admin.call('ACL', 'DELUSER', user))
  await admin[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
})

test('a healthy Redis passes', async () => {
  expect(await problems(check, envWith('right-password'))).toEqual([])
  expect(await admin.keys('*doctor*')).toEqual([])
})

test('a wrong password is reported, but not shown', async () => {
  const [finding] = await problems(check, envWith('wrong-password'))
  expect(finding).toMatchObject({
    check: 'redis.reach',
    result: 'fail',
    next: expect.stringContaining('PARLEY_REDIS_URL'),
  })
  expect(JSON.stringify(finding)).not.toContain('wrong-password')
})

test.each(['pa#ss', '12/34'])('a password %p that is not encoded is reported', async (password) => {
  const { host } = new URL(redis.url)
  expect(await problems(check, { PARLEY_REDIS_URL: `redis://${user}:${password}@${host}` })).toEqual([
    expect.objectContaining({ check: 'redis.reach', result: 'fail', next: expect.stringContaining('# as %23') }),
  ])
})

test('a user who may not read the version is reported', async () => {
  await admin.call('ACL', 'SETUSER', user, '-info')
  expect(await problems(check, envWith('right-password'))).toEqual([
    {
      ...{ check: 'redis.version', result: 'warn', found: expect.stringContaining('info') },
      next: expect.stringContaining('+info +time'),
    },
  ])
  await admin.call('ACL', 'SETUSER', user, '+info')
})

test('a user who may not run scripts is reported', async () => {
  await admin.call('ACL', 'SETUSER', user, '-eval')
  expect(await findingOf(check, envWith('right-password'), 'redis.rights')).toMatchObject({
    result: 'fail',
    found: expect.stringContaining('eval'),
    next: expect.stringContaining('ACL SETUSER'),
  })
})

test('the recommended permissions suffice, and do not allow flushdb', async () => {
  await admin.call('ACL', 'SETUSER', user, '-@all')
  const { next = '' } = (await problems(check, envWith('right-password')))[0] ?? {}
  const [, rights = ''] = /ACL SETUSER \.\.\. (.*)\.$/.exec(next) ?? []
  await admin.call('ACL', 'SETUSER', user, 'reset', 'on', '>right-password', ...rights.split(' '))
  expect(await problems(check, envWith('right-password'))).toEqual([])
  await using client = openRedis({ url: envWith('right-password').PARLEY_REDIS_URL, name: 'test' })
  await new Promise<void>((resolve) => client.once('ready', () => resolve()))
  await rateLimiter({ redis: client, key: 'test', points: 2, durationSeconds: 60 }).consume('alice')
  expect(await admin.keys('limit:*')).toHaveLength(1)
  await expect(client.flushdb()).rejects.toThrow('NOPERM')
})

const dayMs = 86_400_000
const certificate = (days: number) =>
  selfSignedCertificate({ from: new Date(Date.now() - 100 * dayMs), until: new Date(Date.now() + days * dayMs) })

/** The problems of Redis behind a TLS server with this certificate. */
async function problemsBehindTls(pair: { cert: string; key: string }, host = '127.0.0.1') {
  const { port } = new URL(redis.url)
  await using tls = await tlsServer(pair, '127.0.0.1', (socket) => {
    const server = connect(Number(port), '127.0.0.1')
    for (const [from, to] of [[socket, server] as const, [server, socket] as const])
      from
        .on('error', () => to.destroy())
        .on('close', () => to.destroy())
        .pipe(to)
  })
  const url = new URL(envWith('right-password').PARLEY_REDIS_URL.replace(/^redis:/, 'rediss:'))
  Object.assign(url, { host: `${host}:${tls.port}` })
  return await problems(check, { PARLEY_REDIS_URL: url.href })
}

const refused = { check: 'redis.reach', result: 'fail', next: expect.stringContaining('NODE_EXTRA_CA_CERTS') }

test('a certificate of an unknown authority, for another host or that has expired is reported', async () => {
  await admin.call('ACL', 'SETUSER', user, 'reset', 'on', '>right-password', '~*', '&*', '+@all')
  const pair = certificate(90)
  expect(await problemsBehindTls(pair)).toEqual([
    {
      ...{ check: 'redis.certificate', result: 'fail', found: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT') },
      next: expect.stringContaining('add the authority to the file of NODE_EXTRA_CA_CERTS'),
    },
    expect.objectContaining(refused),
  ])
  const ended = certificate(-2)
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, pair.cert, ended.cert])
  try {
    expect(await problemsBehindTls(pair)).toEqual([])
    expect(await problemsBehindTls(pair, 'localhost')).toEqual([
      {
        ...{
          check: 'redis.certificate',
          result: 'fail',
          found: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID'),
        },
        next: expect.stringContaining('Use a certificate for this host name'),
      },
      expect.objectContaining(refused),
    ])
    expect(await problemsBehindTls(ended)).toEqual([
      {
        ...{ check: 'redis.certificate', result: 'fail', found: expect.stringContaining('expired on') },
        next: 'Renew the certificate, and let the server load the new one.',
      },
      expect.objectContaining(refused),
    ])
  } finally {
    setDefaultCACertificates(before)
  }
})

test('an unavailable server is reported', async () => {
  await redis.stop()
  expect(await problems(check, envWith('right-password'))).toEqual([
    expect.objectContaining({ check: 'redis.reach', result: 'fail', next: expect.stringContaining('Start Redis') }),
  ])
  await redis.start()
})
