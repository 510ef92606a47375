import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { newDataFolder } from '@parley/testkit'
import type { S3Settings } from '../src/engines/storage/settings.ts'
import S3rver from 's3rver'
import { findSignatureProblem } from './_sigv4.ts'

/**
 * How the server fails a request: `refuse` with status 500, `forbid` with 403, `truncate` with a response that ends
 * early.
 */
export type Fault = 'refuse' | 'forbid' | 'no response' | 'truncate'

export type TestS3 = AsyncDisposable & {
  settings: S3Settings
  env: Record<string, string>
  fault: (request: IncomingMessage) => Fault | undefined
  /** Milliseconds by which the `Date` header is ahead in responses of the proxy itself, such as errors. */
  clockAheadMs: number
  requests: string[]
  unfinished: () => Promise<string[]>
  /** Begins a multipart upload without parts. The key is below the path prefix of the settings. */
  beginUpload: (key: string, uploadId: string) => Promise<void>
}

const bucket = 'parley-files'
const key = { accessKeyId: 'S3RVER', secretAccessKey: 'the key of the bucket for tests' }

/**
 * Puts a proxy before s3rver that adds missing features: it checks signatures and bodies, limits the pages of listings
 * and continues them after the last key, and lists and aborts multipart uploads.
 */
export async function startS3(): Promise<TestS3> {
  const directory = newDataFolder('parley-s3-')
  const store = { address: '127.0.0.1', port: 0, silent: true, vhostBuckets: false, directory }
  const backend = new S3rver({ ...store, configureBuckets: [{ name: bucket, configs: [] }] })
  const { port } = await backend.run()
  const uploads = join(directory, bucket, '._S3rver_uploads')
  const server: Pick<TestS3, 'fault' | 'clockAheadMs' | 'requests'> = {
    fault: () => undefined,
    clockAheadMs: 0,
    requests: [],
  }
  const proxy = createServer((request, response) => {
    const disconnect = (): void => void response.destroy()
    answer(request, response).catch(disconnect)
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request)
    const problem = findSignatureProblem(request, body, key)
    response.setHeader('date', new Date(Date.now() + server.clockAheadMs).toUTCString())
    if (problem !== undefined) return fail(response, 403, 'SignatureDoesNotMatch', problem)
    server.requests.push(`${request.method} ${request.url}`)
    const fault = server.fault(request)
    if (fault === 'no response') return
    if (fault === 'forbid') return fail(response, 403, 'AccessDenied', 'Access Denied')
    if (fault === 'refuse') return fail(response, 500, 'InternalError', 'fault injected by the test')
    const url = new URL(request.url ?? '/', 'http://s3')
    const uploadId = url.searchParams.get('uploadId')
    if (url.searchParams.has('uploads') && request.method === 'GET') {
      return listUnfinished(uploads, url.searchParams, response)
    }
    if (uploadId !== null && !(await idsIn(uploads)).includes(uploadId))
      return fail(response, 404, 'NoSuchUpload', uploadId)
    if (uploadId !== null && request.method === 'DELETE') {
      await rm(join(uploads, uploadId), { recursive: true })
      return void response.writeHead(204).end()
    }
    if (url.searchParams.get('list-type') === '2') {
      url.searchParams.set('marker', url.searchParams.get('start-after') ?? '')
      url.searchParams.set('max-keys', '100')
      url.searchParams.delete('list-type')
      url.searchParams.delete('start-after')
    }
    const { method, headers } = request
    const forwarded = send({ host: '127.0.0.1', port, method, headers, path: url.pathname + url.search }, (got) => {
      response.writeHead(got.statusCode ?? 500, got.headers)
      response.once('close', () => got.destroy())
      if (fault !== 'truncate') return void got.pipe(response)
      got.once('data', (bytes: Buffer) => response.write(bytes.subarray(0, 10), () => response.destroy()))
    })
    forwarded.on('error', () => response.destroy())
    forwarded.end(body)
  }
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const endpoint = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const settings = { endpoint, bucket, pathPrefix: 'chat/files', region: 'eu-test', ...key }
  return Object.assign(server, {
    settings: { ...settings, useSsl: false, pathStyle: true, presign: true },
    env: {
      PARLEY_CORE_ASSETS_STORAGE_BACKEND: 's3',
      PARLEY_CORE_ASSETS_S3_ENDPOINT: endpoint,
      PARLEY_CORE_ASSETS_S3_BUCKET: bucket,
      PARLEY_CORE_ASSETS_S3_PATH_PREFIX: settings.pathPrefix,
      PARLEY_CORE_ASSETS_S3_REGION: settings.region,
      PARLEY_CORE_ASSETS_S3_ACCESS_KEY_ID: key.accessKeyId,
      PARLEY_CORE_ASSETS_S3_SECRET_ACCESS_KEY: key.secretAccessKey,
      PARLEY_CORE_ASSETS_S3_USE_SSL: 'false',
      PARLEY_CORE_ASSETS_S3_PATH_STYLE: 'true',
    },
    unfinished: () => idsIn(uploads),
    beginUpload: async (key: string, uploadId: string) => {
      await mkdir(join(uploads, uploadId), { recursive: true })
      await writeFile(join(uploads, uploadId, 'key'), `${settings.pathPrefix}/${key}`)
    },
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
      await backend.close()
      await rm(directory, { recursive: true, force: true })
    },
  })
}

const idsIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

/** The first 100 uploads after a key, or after one of its uploads, in the order of keys and ids. */
async function listUnfinished(folder: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
  const entries = (await idsIn(folder)).map(async (id) => {
    const startedAt = (await stat(join(folder, id, 'key'))).mtime.toISOString()
    return { key: await readFile(join(folder, id, 'key'), 'utf8'), id, startedAt }
  })
  const [markedKey, markedId] = [query.get('key-marker') ?? '', query.get('upload-id-marker')]
  const following = (await Promise.all(entries))
    .filter(({ key, id }) => key > markedKey || (key === markedKey && markedId !== null && id > markedId))
    .sort((one, other) => (one.key < other.key || (one.key === other.key && one.id < other.id) ? -1 : 1))
  const listed = following.slice(0, 100)
  const uploads = listed.map(
    ({ key, id, startedAt }) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${startedAt}</Initiated></Upload>`,
  )
  const last = listed.at(-1)
  const next = last && `<NextKeyMarker>${last.key}</NextKeyMarker><NextUploadIdMarker>${last.id}</NextUploadIdMarker>`
  const state = `<IsTruncated>${listed.length < following.length}</IsTruncated>${next ?? ''}`
  const xml = `<ListMultipartUploadsResult>${state}${uploads.join('')}</ListMultipartUploadsResult>`
  response.writeHead(200, { 'content-type': 'application/xml' }).end(xml)
}

function fail(response: ServerResponse, status: number, code: string, message: string): void {
  const xml = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`
  response.writeHead(status, { 'content-type': 'application/xml' }).end(xml)
}
