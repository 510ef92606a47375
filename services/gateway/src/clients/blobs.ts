import { createHash, randomUUID } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { json } from 'node:stream/consumers'
import { blobTicketHeader, signBlobTicket } from '@parley/signed-urls'
import { currentTraceparent } from '@parley/telemetry'
import { uploadsUnavailable } from '../errors.ts'
import { Targets } from './targets.ts'

/** Stores an image in `uploads`; returns the id of the blob. */
export type PutBlob = (bytes: Uint8Array, call: { callerId: string; method: string }) => Promise<string>

const timeoutMs = 15_000

/** If a process of `uploads` fails, the next one is tried. If there is only one, it is tried twice. */
export function blobClient({ urls, secret }: { urls: readonly string[]; secret: string }): PutBlob & AsyncDisposable {
  const agent = new Agent({ keepAlive: true, timeout: timeoutMs })
  const targets = new Targets('blobs', [...urls])
  const put: PutBlob = async (bytes, { callerId, method }) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    // One ticket for all attempts: `uploads` stores only one blob per ticket.
    const ticket = { callerId, method, size: bytes.length, sha256, signedAt: Date.now(), nonce: randomUUID() }
    const signed = signBlobTicket(secret, ticket)
    let failure: unknown
    const ordered = targets.inOrder()
    for (const url of ordered.length === 1 ? [...ordered, ...ordered] : ordered) {
      try {
        return await post(new URL('/internal/blobs', url), { bytes, ticket: signed, agent })
      } catch (error) {
        failure = error
        targets.markFailed(url, error)
      }
    }
    throw uploadsUnavailable(failure)
  }
  return Object.assign(put, {
    [Symbol.asyncDispose]: () => {
      agent.destroy()
      return Promise.resolve()
    },
  })
}

type BlobRequest = { bytes: Uint8Array; ticket: string; agent: Agent }

function post(url: URL, { bytes, ticket, agent }: BlobRequest): Promise<string> {
  const traceparent = currentTraceparent()
  const headers = { [blobTicketHeader]: ticket, 'content-length': bytes.length, ...(traceparent && { traceparent }) }
  const signal = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve, reject) => {
    httpRequest(url, { method: 'POST', headers, agent, signal }, (answer) => {
      json(answer)
        .then((value) => {
          if (answer.statusCode !== 201) throw new Error(`uploads answered ${answer.statusCode}`)
          resolve((value as { id: string }).id)
        })
        .catch(reject)
    })
      .on('error', reject)
      .end(bytes)
  })
}
