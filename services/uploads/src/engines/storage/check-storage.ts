import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { check, portOf, reasonOf, reportClock, reportServerCertificate, type Report } from '@parley/doctor'
import { hasBeenUsed, openDiskStorage } from './disk.ts'
import { assetStorageFields, type S3Settings } from './settings.ts'
import type { Storage } from './storage.ts'

/** Uploads stores nothing under this prefix, so neither its listings nor `parley storage check` show the probe. */
const prefix = 'doctor'
const probe = 'probe'
const timeouts = { connectionTimeout: 4_000, requestTimeout: 4_000, socketTimeout: 4_000 }

export const storageCheck = check('storage', assetStorageFields(), async ({ assetStorage }, report) => {
  if (assetStorage.backend === 's3') return await checkBucket(assetStorage, report)
  const { directory } = assetStorage
  const advice = `Mount the folder and let the user of uploads read and write it, or correct PARLEY_CORE_ASSETS_DIRECTORY; check the free space of its disk.`
  try {
    // Opening the storage would create the folder even where its disk is not mounted.
    if (!(await hasBeenUsed(directory)))
      return report.warn(
        'storage.reach',
        `uploads has never used the folder ${directory}`,
        'This is normal before the first start of uploads. Otherwise its disk is not mounted: mount it, or correct PARLEY_CORE_ASSETS_DIRECTORY.',
      )
    await checkProbe(await openDiskStorage(directory), `the folder ${directory}`, report, () => advice)
  } catch (error) {
    report.fail('storage.reach', `the folder ${directory} cannot be used: ${reasonOf(error)}`, advice)
  }
})

async function checkBucket(settings: S3Settings, report: Report): Promise<void> {
  const url = new URL(`${settings.useSsl ? 'https' : 'http'}://${settings.endpoint}`)
  if (settings.useSsl)
    await reportServerCertificate(report, 'storage.certificate', { host: url.hostname, port: portOf(url) })
  await checkServerClock(url, report)
  const { openS3Storage } = await import('./s3.ts')
  using storage = openS3Storage(settings, timeouts)
  const bucket = `the bucket ${settings.bucket} at ${settings.endpoint}`
  try {
    await storage.ping()
    report.ok('storage.reach', `${bucket} answers`)
  } catch (error) {
    report.fail('storage.reach', `${bucket} cannot be used: ${describe(error)}`, adviceFor(error, settings))
  }
  await checkProbe(storage, bucket, report, (error) => adviceFor(error, settings))
}

/** Continues after a failure, so that all failing steps are reported. */
async function checkProbe(
  storage: Storage,
  where: string,
  report: Report,
  advice: (error: unknown) => string,
): Promise<void> {
  const key = `${prefix}-${randomUUID()}`
  const steps: [permission: string, what: string, run: () => Promise<unknown>][] = [
    ['write', 'write', () => storage.put(key, Readable.from([Buffer.from(probe)], { objectMode: false }))],
    ['read', 'read', async () => expectProbe(await storage.get(key))],
    ['list', 'list', () => storage.page(prefix, '', 1)],
    ['unfinished', 'list unfinished writes', () => storage.unfinished()[Symbol.asyncIterator]().next()],
    ['delete', 'delete', () => storage.delete(key)],
  ]
  for (const [permission, what, run] of steps) {
    try {
      await run()
      report.ok(`storage.${permission}`, `this process can ${what} in ${where}`)
    } catch (error) {
      report.fail(`storage.${permission}`, `this process cannot ${what} in ${where}: ${describe(error)}`, advice(error))
    }
  }
}

async function expectProbe(stored: Awaited<ReturnType<Storage['get']>>): Promise<void> {
  if (stored === undefined || (await text(stored.content)) !== probe)
    throw new Error('the written object was not found, or has other content')
}

/** Signatures of requests are valid for a few minutes only. */
async function checkServerClock(url: URL, report: Report): Promise<void> {
  const requestedMs = Date.now()
  try {
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(4_000) })
    const date = Date.parse(response.headers.get('date') ?? '')
    const answeredMs = Date.now() + 1_000
    if (!Number.isNaN(date))
      reportClock(report, 'storage.clock', 'the S3 server', {
        serverMs: date,
        requestedMs: requestedMs - 1_000,
        answeredMs,
      })
  } catch {
    // A server that does not answer is reported with the bucket.
  }
}

const causeOf = (error: unknown): unknown => (error instanceof Error && error.cause !== undefined ? error.cause : error)
const nameOf = (error: unknown): string => {
  const cause = causeOf(error)
  return cause instanceof Error ? cause.name : ''
}

function describe(error: unknown): string {
  const cause = causeOf(error)
  const name = nameOf(error)
  return /^(Error|TypeError|ConnectError)$/.test(name) ? reasonOf(cause) : `${name}, ${reasonOf(cause)}`
}

const setting = (key: string): string => `PARLEY_CORE_ASSETS_S3_${key}`

function adviceFor(error: unknown, { bucket }: S3Settings): string {
  const cause = causeOf(error)
  const metadata =
    cause instanceof Error && '$metadata' in cause ? (cause.$metadata as { httpStatusCode?: number }) : {}
  const status = metadata.httpStatusCode
  const name = nameOf(error)
  if (name === 'NoSuchBucket' || (status === 404 && name !== 'NoSuchKey'))
    return `Create the bucket ${bucket}, or correct ${setting('BUCKET')}. Most self-hosted servers also need ${setting('PATH_STYLE')}.`
  if (/InvalidAccessKeyId|SignatureDoesNotMatch/.test(name))
    return `Correct ${setting('ACCESS_KEY_ID')}, ${setting('SECRET_ACCESS_KEY')} and ${setting('REGION')}.`
  if (name === 'RequestTimeTooSkewed') return 'Synchronise the clocks of this machine and of the S3 server (NTP).'
  if (status === 403)
    return `Allow the access key s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket, s3:ListBucketMultipartUploads and s3:AbortMultipartUpload on ${bucket}, or correct ${setting('ACCESS_KEY_ID')} and ${setting('SECRET_ACCESS_KEY')}.`
  return `Check ${setting('ENDPOINT')} and ${setting('USE_SSL')}, that the S3 server is running, and that no firewall blocks the connection.`
}
