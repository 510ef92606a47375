import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newDataFolder, selfSignedCertificate, tlsServer } from '@parley/testkit'
import { storageCheck } from '../src/engines/storage/index.ts'
import { startS3, type TestS3 } from './_s3.ts'

let s3: TestS3
beforeAll(async () => {
  s3 = await startS3()
})
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
})

const results = async (env: Record<string, string>) => await storageCheck({ env })
const problems = async (env: Record<string, string>) => (await results(env)).filter(({ result }) => result !== 'ok')

test('a bucket with all permissions passes the check', async () => {
  const found = await results(s3.env)
  expect(found.map(({ check, result }) => `${check} ${result}`)).toEqual([
    ...['storage.clock ok', 'storage.reach ok'],
    ...['storage.write ok', 'storage.read ok', 'storage.list ok', 'storage.unfinished ok', 'storage.delete ok'],
  ])
  expect(s3.requests.filter((one) => one.startsWith('DELETE'))).toHaveLength(1)
})

const isObject = ({ url = '' }: IncomingMessage) => /\/doctor-[^?]+/.test(url)
test.each<[check: string, permission: string, isNeeded: (request: IncomingMessage) => boolean]>([
  ['storage.write', 's3:PutObject', ({ method }) => method === 'PUT'],
  ['storage.read', 's3:GetObject', (request) => request.method === 'GET' && isObject(request)],
  ['storage.list', 's3:ListBucket', ({ url }) => url?.includes('list-type=2') === true],
  ['storage.unfinished', 's3:ListBucketMultipartUploads', ({ url }) => url?.includes('uploads') === true],
  ['storage.delete', 's3:DeleteObject', ({ method }) => method === 'DELETE'],
])('%s fails if only %s is not allowed, and the advice names this permission', async (check, permission, isNeeded) => {
  s3.fault = (request) => (isNeeded(request) ? 'forbid' : undefined)
  const found = await results(s3.env)
  s3.fault = () => undefined
  expect(found.find((finding) => finding.check === check)).toEqual({
    ...{ check, result: 'fail' },
    found: expect.stringContaining('AccessDenied'),
    next: expect.stringMatching(new RegExp(`${permission}\\b.* on parley-files`)),
  })
  const others = found.filter((finding) => finding.check !== check && finding.result !== 'ok')
  // The probe cannot be read if it could not be written.
  expect(others.map((finding) => finding.check)).toEqual(check === 'storage.write' ? ['storage.read'] : [])
})

test('a wrong key, a missing bucket and an unavailable server are reported', async () => {
  const wrong = await problems({ ...s3.env, PARLEY_CORE_ASSETS_S3_SECRET_ACCESS_KEY: 'wrong-secret' })
  expect(wrong).toContainEqual(
    expect.objectContaining({ check: 'storage.write', next: expect.stringContaining('S3_SECRET_ACCESS_KEY') }),
  )
  expect(JSON.stringify(wrong)).not.toContain('wrong-secret')
  const missing = await problems({ ...s3.env, PARLEY_CORE_ASSETS_S3_BUCKET: 'no-such-bucket' })
  expect(missing).toContainEqual(
    expect.objectContaining({
      check: 'storage.reach',
      next: expect.stringContaining('Create the bucket no-such-bucket'),
    }),
  )
  const unavailable = await problems({ ...s3.env, PARLEY_CORE_ASSETS_S3_ENDPOINT: '127.0.0.1:1' })
  expect(unavailable).toContainEqual(
    expect.objectContaining({ check: 'storage.reach', next: expect.stringContaining('S3_ENDPOINT') }),
  )
})

test('a server whose clock is wrong is reported', async () => {
  s3.clockAheadMs = 120_000
  const found = await problems(s3.env)
  s3.clockAheadMs = 0
  expect(found).toEqual([
    {
      ...{ check: 'storage.clock', result: 'fail', found: expect.stringContaining('ahead of this machine') },
      next: expect.stringContaining('Synchronise the clocks of both machines (NTP)'),
    },
  ])
})

test('a certificate of an unknown authority is reported', async () => {
  const dayMs = 86_400_000
  const until = new Date(Date.now() + 90 * dayMs)
  await using tls = await tlsServer(selfSignedCertificate({ from: new Date(Date.now() - dayMs), until }))
  const env = { PARLEY_CORE_ASSETS_S3_ENDPOINT: `127.0.0.1:${tls.port}`, PARLEY_CORE_ASSETS_S3_USE_SSL: 'true' }
  expect(await problems({ ...s3.env, ...env })).toContainEqual({
    ...{ check: 'storage.certificate', result: 'fail', found: expect.stringContaining('DEPTH_ZERO_SELF_SIGNED_CERT') },
    next: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  })
})

test('a folder passes the check, and a file instead of a folder is reported', async () => {
  const folder = newDataFolder('parley-doctor-')
  mkdirSync(join(folder, 'objects'))
  expect(await problems({ PARLEY_CORE_ASSETS_DIRECTORY: folder })).toEqual([])
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(await problems({ PARLEY_CORE_ASSETS_DIRECTORY: file })).toEqual([
    expect.objectContaining({ check: 'storage.reach', next: expect.stringContaining('PARLEY_CORE_ASSETS_DIRECTORY') }),
  ])
})

test('a folder that was never used causes a warning, and nothing is created in it', async () => {
  const folder = newDataFolder('parley-doctor-')
  const missing = join(folder, 'not/there')
  for (const directory of [folder, missing]) {
    expect(await results({ PARLEY_CORE_ASSETS_DIRECTORY: directory })).toEqual([
      expect.objectContaining({ check: 'storage.reach', result: 'warn', next: expect.stringContaining('not mounted') }),
    ])
  }
  expect(existsSync(join(folder, 'objects'))).toBe(false)
  expect(existsSync(join(folder, 'not'))).toBe(false)
})
