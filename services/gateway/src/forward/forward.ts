import { randomBytes } from 'node:crypto'
import type { Reply, RpcClient } from '@parley/rpc'
import { keyedMethods } from '@parley/rpc'
import { authenticate } from '../credentials/authenticate.ts'
import type { CallerCache } from '../credentials/caller-cache.ts'
import { presentedCredentials, type ReadHeader, type Secrets } from '../credentials/presented.ts'
import { badIdempotencyKey, unauthenticated } from '../errors.ts'
import type { PublicMethod } from './methods.ts'

/** A request that passed the checks which do not look at its body. */
export type Admitted = { method: PublicMethod; caller: string | undefined; idempotencyKey: string | undefined }

/** Reply headers that clients may see. */
export const exposedReplyHeaders = ['idempotency-replayed', 'retry-after', 'parley-reason']

export class Forwarder {
  readonly #rpc: RpcClient
  readonly #callers: CallerCache
  readonly #secrets: Secrets

  constructor(options: { rpc: RpcClient; callers: CallerCache; secrets: Secrets }) {
    this.#rpc = options.rpc
    this.#callers = options.callers
    this.#secrets = options.secrets
  }

  /** Who calls, before anything looks at the body. */
  async admit(method: PublicMethod, header: ReadHeader): Promise<Admitted> {
    const presented = presentedCredentials(header, this.#secrets)
    const known = method.needsCaller ? await authenticate(this.#callers, presented) : undefined
    if (method.needsCaller && !known) throw unauthenticated()
    return { method, caller: known?.encoded, idempotencyKey: idempotencyKey(method, header('idempotency-key')) }
  }

  /** Sends the encoded request to the deployable that owns the method. */
  send(admitted: Admitted, body: Uint8Array, timeoutMs: number, traceparent: string | undefined): Promise<Reply> {
    const { caller, idempotencyKey, method } = admitted
    return this.#rpc.call(method.method, body, {
      timeoutMs,
      ...(caller !== undefined && { caller }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(traceparent !== undefined && { traceparent }),
    })
  }
}

/** The client's key, or one of our own: with a key the transport may send a creation once more when a server is silent. */
function idempotencyKey({ method }: PublicMethod, given: string | undefined): string | undefined {
  if (!keyedMethods.has(method)) return undefined
  if (given === undefined) return `auto:${randomBytes(16).toString('base64url')}`
  if (!/^[\x21-\x7e]{1,128}$/.test(given)) throw badIdempotencyKey()
  return given
}
