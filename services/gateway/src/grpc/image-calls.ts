import { constants } from 'node:http2'
import { ConnectError } from '@connectrpc/connect'
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc'
import type { Forwarder } from '../forward/forward.ts'
import type { ImageDoor } from '../forward/image-door.ts'
import type { NodeHandler, NodeServerRequest, NodeServerResponse } from './adapter.ts'

type Options = { forwarder: Forwarder; images: ImageDoor }

/** How long a refused client may go on sending before its stream is reset. */
const lingerMs = 1_000

/**
 * A gRPC call with a whole image. The protocol library reads a message before it asks anybody, so its sender is known and
 * has a place before it gets the request.
 */
export async function throughImageDoor(
  { forwarder, images }: Options,
  handler: NodeHandler,
  request: NodeServerRequest,
  response: NodeServerResponse,
): Promise<void> {
  try {
    const header = (name: string) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    }
    await forwarder.assertSignedIn(header, request.socket.remoteAddress)
    const leave = images.enter(request)
    answered(response, leave)
    handler(request, response)
  } catch (thrown) {
    refuse(request, response, ConnectError.from(thrown))
  }
}

/** Calls when an answer is on its way. Over HTTP/2 a response counts as finished only with the whole stream. */
function answered(response: NodeServerResponse, listener: () => void): void {
  const answer = 'stream' in response ? response.stream : response
  answer.on('finish', listener).on('close', listener)
}

/** An answer without a message: what else comes in trailers stands among the headers. */
function refuse(request: NodeServerRequest, response: NodeServerResponse, error: ConnectError): void {
  const trailers = Object.fromEntries(setTrailerStatus(new Headers(), error))
  const headers = { 'content-type': request.headers['content-type'] ?? 'application/grpc', ...trailers }
  if ('stream' in response) {
    response.stream.respond({ ':status': 200, ...headers }, { endStream: true })
    // A client that is still sending may take a reset for the answer: what it sends in the next moment is discarded.
    request.resume()
    const lingering = setTimeout(() => response.stream.close(constants.NGHTTP2_NO_ERROR), lingerMs)
    response.stream.once('close', () => clearTimeout(lingering))
  } else {
    request.resume()
    response.writeHead(200, headers).end()
  }
}
