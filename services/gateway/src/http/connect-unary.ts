import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { fromBinary, fromJsonString, toJsonString } from '@bufbuild/protobuf'
import { Code, ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus, errorToJsonBytes } from '@connectrpc/connect/protocol-connect'
import type { ReadHeader } from '@parley/credentials'
import { encode } from '@parley/protobuf'
import { callSpan, type Reply } from '@parley/rpc'
import { closeSignal, headerOf } from '@parley/runtime'
import { clientTraceparent, isRecording } from '@parley/telemetry'
import {
  malformedJson,
  methodNotAllowed,
  tooManyBytes,
  unknownMethod,
  unsupportedMediaType,
  unsupportedProtocolVersion,
} from '../errors.ts'
import { exposedReplyHeaders, type AdmittedCall, type Forwarder } from '../actions/forward/forward.ts'
import type { ImageSlots } from '../actions/forward/image-slots.ts'
import { bodyOverheadBytes, type PublicMethod } from '../actions/forward/methods.ts'
import type { Metrics } from '../metrics.ts'
import { readBody } from './body.ts'
import { missedClientDeadline, parseTimeout } from './deadline.ts'
import { heldBytesOf, exemptFromByteBudget } from './held-bytes.ts'
import { reply } from './reply.ts'
import { textOf } from './text.ts'

type Options = {
  forwarder: Forwarder
  images: ImageSlots
  maxUploadBytes: number
  requestTimeoutMs: number
  compressionMinBytes: number
  metrics: Metrics
}
type Format = 'json' | 'proto'
type UnaryAnswer = { answer: Reply; format: Format }
type UnaryCall = {
  method: PublicMethod
  request: IncomingMessage
  headers: OutgoingHttpHeaders
  admitting: Promise<AdmittedCall>
}

const formats = new Map<string, Format>([
  ['application/json', 'json'],
  ['application/proto', 'proto'],
])

export function unaryFormat(contentType: string | undefined): Format | undefined {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';')
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(parameter)?.[1])
    .find(Boolean)
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' ? formats.get(type.trim()) : undefined
}

/** Details given as `{ desc, value }` also get a readable field `debug`. */
const errorBytes = (error: ConnectError): Uint8Array => errorToJsonBytes(error, undefined)

/** Handles unary Connect calls directly on node:http, several times faster than the protocol library. */
export class ConnectUnary {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  async handle(
    method: PublicMethod,
    request: IncomingMessage,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
  ): Promise<void> {
    const started = performance.now()
    try {
      const { answer, format } = isRecording()
        ? await this.#callTraced(method, request, response, headers)
        : await this.#call(method, request, response, headers)
      for (const name of exposedReplyHeaders) {
        const value = answer.headers?.get(name)
        if (value !== undefined) headers[name] = value
      }
      headers['content-type'] = format === 'json' ? 'application/json' : 'application/proto'
      const body = format === 'json' ? transcodeAnswer(method, answer) : answer.body
      if (!heldBytesOf(request).take(body.length)) throw tooManyBytes()
      await reply(request, response, {
        status: 200,
        headers,
        body,
        compressFrom: this.#options.compressionMinBytes,
      })
      this.#options.metrics.countCall(method.method, {}, started)
    } catch (thrown) {
      const error = this.#errorOf(thrown)
      const clientMs = headerOf(request, 'connect-timeout-ms')
      const outcome = {
        code: error.code,
        missedClientDeadline: missedClientDeadline(
          error.code,
          clientMs === undefined ? undefined : Number(clientMs),
          this.#options.requestTimeoutMs,
        ),
      }
      this.#options.metrics.countCall(method.method, outcome, started)
      await this.refuse(request, response, error, codeToHttpStatus(error.code), headers)
    }
  }

  refuseRequest(request: IncomingMessage, response: ServerResponse, headers: OutgoingHttpHeaders, isKnown: boolean) {
    if (!isKnown) return this.refuse(request, response, unknownMethod(request.url ?? ''), 404, headers)
    if (request.method !== 'POST')
      return this.refuse(request, response, methodNotAllowed(), 405, { ...headers, allow: 'POST, OPTIONS' })
    const accept = { 'accept-post': 'application/json, application/proto, application/grpc, application/grpc-web' }
    return this.refuse(request, response, unsupportedMediaType(request.headers['content-type'] ?? ''), 415, {
      ...headers,
      ...accept,
    })
  }

  refuse(
    request: IncomingMessage,
    response: ServerResponse,
    error: ConnectError,
    status: number,
    headers: OutgoingHttpHeaders,
  ): Promise<void> {
    for (const name of exposedReplyHeaders) {
      const value = error.metadata.get(name)
      if (value !== null) headers[name] = value
    }
    headers['content-type'] = 'application/json'
    return reply(request, response, { status, headers, body: errorBytes(error) })
  }

  #callTraced(
    method: PublicMethod,
    request: IncomingMessage,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
  ): Promise<UnaryAnswer> {
    const parent = clientTraceparent(headerOf(request, 'traceparent'))
    return callSpan(method.method, { kind: 'server', system: 'connectrpc', parent }, async () => {
      try {
        return await this.#call(method, request, response, headers)
      } catch (thrown) {
        // Converted inside the span, so that the log line carries the trace id.
        throw this.#errorOf(thrown)
      }
    })
  }

  /** Unexpected errors are logged and not revealed. */
  #errorOf(thrown: unknown): ConnectError {
    if (thrown instanceof ConnectError) return thrown
    this.#options.metrics.reportFailure(thrown)
    return new ConnectError('internal server error', Code.Internal)
  }

  #call(
    method: PublicMethod,
    request: IncomingMessage,
    response: ServerResponse,
    headers: OutgoingHttpHeaders,
  ): Promise<UnaryAnswer> {
    const header: ReadHeader = (name) => headerOf(request, name)
    const client = { header, peer: request.socket.remoteAddress, signal: () => closeSignal(response) }
    const admitting = this.#options.forwarder.admit(method, client)
    const call = { method, request, headers, admitting }
    if (method.carriesImage) return this.#callWithImage(call)
    const isBinary = unaryFormat(request.headers['content-type']) === 'proto'
    return this.#answer(call, isBinary ? method.maxBodyBytes : method.maxJsonBodyBytes)
  }

  async #callWithImage(call: UnaryCall): Promise<UnaryAnswer> {
    const { images, maxUploadBytes } = this.#options
    let releaseSlot: (() => void) | undefined
    try {
      const { callerId, cookies } = await call.admitting
      setCookies(call.headers, cookies)
      releaseSlot = images.acquire(call.request, callerId)
      exemptFromByteBudget(call.request)
      return await this.#answer(call, maxUploadBytes + bodyOverheadBytes)
    } finally {
      releaseSlot?.()
      call.request.resume()
    }
  }

  async #answer({ method, request, headers, admitting }: UnaryCall, maxBodyBytes: number): Promise<UnaryAnswer> {
    const format = unaryFormat(request.headers['content-type']) ?? 'json'
    const version = request.headers['connect-protocol-version']
    // Do not read the body before the caller is admitted.
    const admitted = await admitting
    setCookies(headers, admitted.cookies)
    const received = await readBody(request, maxBodyBytes)
    if (version !== undefined && version !== '1') throw unsupportedProtocolVersion(String(version))
    const timeoutMs = parseTimeout(headerOf(request, 'connect-timeout-ms'), this.#options.requestTimeoutMs)
    const body = format === 'json' ? transcodeRequest(method, received) : received
    const traceparent = clientTraceparent(headerOf(request, 'traceparent'))
    const answer = await this.#options.forwarder.send(admitted, body, timeoutMs, traceparent)
    setCookies(headers, this.#options.forwarder.startedSessionCookies(admitted, answer))
    return { answer, format }
  }
}

function setCookies(headers: OutgoingHttpHeaders, cookies: string[]): void {
  if (cookies.length > 0) headers['set-cookie'] = cookies
}

function transcodeRequest({ method }: PublicMethod, body: Buffer): Uint8Array {
  if (body.length === 0) return body
  try {
    const message = fromJsonString(method.input, textOf(body), { ignoreUnknownFields: true })
    return encode(method.input, message)
  } catch (error) {
    throw malformedJson(error)
  }
}

const transcodeAnswer = ({ method }: PublicMethod, answer: Reply): Uint8Array =>
  Buffer.from(toJsonString(method.output, fromBinary(method.output, answer.body)))
