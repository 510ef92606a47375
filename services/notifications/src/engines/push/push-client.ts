import { Agent as PlainAgent, request as plainRequest, type IncomingMessage } from 'node:http'
import { Agent, request as tlsRequest, type RequestOptions } from 'node:https'
import { AddressRefused, assertAllowedHost, guardedLookup, ResolverBusy } from '@parley/outbound'
import { measureOutgoing } from '@parley/runtime'
import { toAnswer, type Answer } from './answer.ts'
import type { PushNetwork } from './endpoint.ts'
import type { PushRequest } from './request.ts'

/** Never rejects. */
export type PushClient = Disposable & { send(request: PushRequest, signal: AbortSignal): Promise<Answer> }

const timeoutMs = 10_000
/** Responses are read to their end, so that the connection can be reused. One with more bytes than this is aborted. */
const maxBytes = 16_384
const connections = { keepAlive: true, maxFreeSockets: 2, timeout: 30_000 }

/**
 * Connects only to allowed addresses and does not follow redirects. Connections are reused; their address was checked
 * when they were opened.
 */
export function openPushClient(network: PushNetwork): PushClient {
  const tls = new Agent(connections)
  const plain = new PlainAgent(connections)

  const postOnce = ({ userId, endpoint, headers, body }: PushRequest, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const isTls = endpoint.protocol === 'https:'
      const lookup = guardedLookup(network, userId)
      const options: RequestOptions = { method: 'POST', headers, signal, lookup, agent: isTls ? tls : plain }
      const request = isTls ? tlsRequest(endpoint, options) : plainRequest(endpoint, options)
      request.on('response', resolve)
      request.on('error', (error) => reject(request.reusedSocket ? new ReusedConnectionFailed(error) : error))
      // An unrequested protocol switch (status 101) emits neither event.
      request.on('close', () => reject(new Error('the connection was closed without an answer')))
      request.end(body)
    })

  const post = (request: PushRequest, signal: AbortSignal) =>
    measureOutgoing(
      'push',
      () => postOnce(request, signal),
      ({ statusCode }) => statusCode,
    )

  return {
    async send(request, signal) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      try {
        assertAllowedHost(request.endpoint, network)
        const answer = await post(request, limited).catch((error: unknown) => {
          // Push services close idle connections, so this is not a failure of the push.
          if (error instanceof ReusedConnectionFailed && !limited.aborted) return post(request, limited)
          throw error
        })
        await drain(answer)
        return toAnswer(answer.statusCode ?? 0, answer.headers['retry-after'], new Date())
      } catch (error) {
        if (isCausedBy(AddressRefused, error)) return { outcome: 'blocked' }
        // Look-ups for other endpoints of this person are still running. That says nothing about this push service.
        const isFailing = isCausedBy(ResolverBusy, error) ? undefined : true
        return { outcome: 'busy', isFailing, retryAfterMs: 0 }
      }
    },
    [Symbol.dispose]() {
      tls.destroy()
      plain.destroy()
    },
  }
}

class ReusedConnectionFailed extends Error {
  constructor(cause: Error) {
    super('a reused connection failed', { cause })
  }
}

const isCausedBy = (kind: typeof AddressRefused | typeof ResolverBusy, error: unknown): boolean =>
  error instanceof kind || (error instanceof ReusedConnectionFailed && error.cause instanceof kind)

async function drain(answer: IncomingMessage): Promise<void> {
  let length = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxBytes) return
    }
  } catch {
    return
  }
}
