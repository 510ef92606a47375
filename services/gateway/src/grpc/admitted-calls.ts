import { constants } from 'node:http2'
import { ConnectError } from '@connectrpc/connect'
import { codeToHttpStatus, errorToJsonBytes } from '@connectrpc/connect/protocol-connect'
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc'
import type { Forwarder } from '../actions/forward/forward.ts'
import { closeSignal } from '@parley/runtime'
import type { ImageSlots } from '../actions/forward/image-slots.ts'
import type { PublicMethod } from '../actions/forward/methods.ts'
import type { Metrics } from '../metrics.ts'
import { unaryFormat } from '../http/connect-unary.ts'
import type { HeldBytes } from '../http/held-bytes.ts'
import type { NodeHandler, NodeServerRequest, NodeServerResponse } from './adapter.ts'

type Options = { forwarder: Forwarder; images: ImageSlots; metrics: Metrics }
type Call = {
  handler: NodeHandler
  /** Undefined for reflection. */
  method: PublicMethod | undefined
  request: NodeServerRequest
  response: NodeServerResponse
  held: HeldBytes
}

/** How long a refused client may continue to send before its stream is reset. */
const lingerMs = 1_000

/**
 * The protocol library reads a whole message before it calls a handler. So the sender is authenticated, and a slot for
 * an image reserved, before the library gets the request.
 */
export async function admitCall({ forwarder, images, metrics }: Options, call: Call): Promise<void> {
  const { handler, request, response, held } = call
  const began = performance.now()
  const isGone = () => ('stream' in response ? response.stream.destroyed : request.socket.destroyed)
  // A request that is not a call is refused by the library, which does not read it.
  const method = isCall(request) ? call.method : undefined
  try {
    const header = (name: string) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    }
    const client = { header, peer: request.socket.remoteAddress, signal: () => closeSignal(response) }
    const callerId = method?.needsCaller ? await forwarder.findCallerId(client) : ''
    if (isGone()) return
    if (method?.carriesImage) onAnswered(response, images.acquire(request, callerId))
    else countBytes(request, response, held)
    handler(request, response)
  } catch (thrown) {
    const error = ConnectError.from(thrown)
    if (method)
      metrics.countCall(
        method.method,
        { code: error.code },
        began,
        unaryFormat(request.headers['content-type']) === undefined,
      )
    if (!isGone()) refuse(request, response, error)
  }
}

const isCall = ({ method, headers: { 'content-type': type } }: NodeServerRequest): boolean =>
  method === 'POST' && (unaryFormat(type) !== undefined || /^application\/grpc/i.test(type ?? ''))

function countBytes(request: NodeServerRequest, response: NodeServerResponse, held: HeldBytes): void {
  const end = (): false => {
    if ('stream' in response) response.stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    else request.socket.destroy()
    return false
  }
  const push = request.push.bind(request)
  request.push = (chunk: Buffer | null) => (chunk === null || held.take(chunk.length) ? push(chunk) : end())
  const write = response.write.bind(response) as (chunk: Uint8Array, ...rest: unknown[]) => boolean
  const writeCounted = (chunk: Uint8Array, ...rest: unknown[]) =>
    held.take(chunk.length) ? write(chunk, ...rest) : end()
  Object.assign(response, { write: writeCounted })
}

/** Over HTTP/2 listens to the stream: the response object finishes only when the client has sent everything. */
function onAnswered(response: NodeServerResponse, listener: () => void): void {
  const answer = 'stream' in response ? response.stream : response
  answer.on('finish', listener).on('close', listener)
}

function refuse(request: NodeServerRequest, response: NodeServerResponse, error: ConnectError): void {
  const { status, headers, body } = refusalOf(request.headers['content-type'], error)
  if ('stream' in response) {
    response.stream.respond({ ':status': status, ...headers }, { endStream: body === undefined })
    if (body) response.stream.end(body)
    // A client that is still sending may see a reset instead of the response.
    request.resume()
    const lingering = setTimeout(() => response.stream.close(constants.NGHTTP2_NO_ERROR), lingerMs)
    response.stream.once('close', () => clearTimeout(lingering))
  } else {
    request.resume()
    response.writeHead(status, headers).end(body)
  }
}

type Refusal = { status: number; headers: Record<string, string>; body: Uint8Array | undefined }

/** A gRPC response without a message carries its trailers as headers. */
function refusalOf(contentType: string | undefined, error: ConnectError): Refusal {
  if (!unaryFormat(contentType)) {
    const trailers = Object.fromEntries(setTrailerStatus(new Headers(), error))
    return { status: 200, headers: { 'content-type': contentType ?? 'application/grpc', ...trailers }, body: undefined }
  }
  const headers = { ...Object.fromEntries(error.metadata), 'content-type': 'application/json' }
  return { status: codeToHttpStatus(error.code), headers, body: errorToJsonBytes(error, undefined) }
}
