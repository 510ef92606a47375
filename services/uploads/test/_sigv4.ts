import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export type Key = { accessKeyId: string; secretAccessKey: string }

const hex = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
const longestSkewMs = 15 * 60_000

/** Checks an AWS Signature Version 4, in a header or in the URL. Undefined if it is valid. */
export function findSignatureProblem(request: IncomingMessage, body: Buffer, key: Key): string | undefined {
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? ''}`)
  const given = url.searchParams.has('X-Amz-Signature') ? fromUrl(url) : fromHeader(request)
  if (!given) return 'not signed'
  const { credential, signedHeaders, signature, time, payload, expiresMs } = given
  const [accessKeyId, day, region, service, end] = credential.split('/')
  if (accessKeyId !== key.accessKeyId) return 'another key'
  if (service !== 's3' || end !== 'aws4_request' || day !== time.slice(0, 8)) return 'another scope'
  const at = Date.parse(time.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'))
  const age = Date.now() - at
  if (!(age > -longestSkewMs) || age > (expiresMs ?? longestSkewMs)) return 'too old'
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== hex(body)) return 'another body'
  if (!signedHeaders.includes('host')) return 'the host is not signed'

  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
  const headers = signedHeaders.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`)
  const path = decodeURIComponent(url.pathname).split('/').map(encode).join('/')
  const canonical = [request.method, path, query.join('&'), headers.join(''), signedHeaders.join(';'), payload].join(
    '\n',
  )
  const scope = [day, region, service, end].join('/')
  const signing = [day, region, service, end].reduce<string | Buffer>(
    (made, part) => hmac(made, part ?? ''),
    `AWS4${key.secretAccessKey}`,
  )
  const expected = hmac(signing, ['AWS4-HMAC-SHA256', time, scope, hex(canonical)].join('\n')).toString('hex')
  return signature === expected ? undefined : 'the signature is invalid'
}

function fromUrl(url: URL) {
  const of = (name: string) => url.searchParams.get(`X-Amz-${name}`) ?? ''
  return {
    ...{ credential: of('Credential'), signature: of('Signature'), time: of('Date'), payload: 'UNSIGNED-PAYLOAD' },
    ...{ signedHeaders: of('SignedHeaders').split(';'), expiresMs: Number(of('Expires')) * 1000 },
  }
}

function fromHeader({ headers }: IncomingMessage) {
  const [, credential, signed, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  if (credential === undefined || signed === undefined || signature === undefined) return undefined
  const of = (name: string) => String(headers[name] ?? '')
  const signedAt = { time: of('x-amz-date'), payload: of('x-amz-content-sha256'), expiresMs: undefined }
  return { credential, signature, signedHeaders: signed.split(';'), ...signedAt }
}
