import type { OutgoingHttpHeaders } from 'node:http'

/** A response with an error instead of the file. */
export class Refusal extends Error {
  readonly status: number
  readonly headers: OutgoingHttpHeaders

  constructor(status: number, message: string, headers: OutgoingHttpHeaders = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

export const noSuchAsset = (): Refusal => new Refusal(404, 'asset not found')
