import { assetUrl, type ServerImageSize } from '@parley/signed-urls'
import type { Service } from '@parley/runtime'
import { publicUrl, signingSecret, type Env } from './_env.ts'
import { claiming, sendFile, type Sending } from './_sending.ts'

export type ReadOptions = {
  userId?: string
  image?: ServerImageSize
  headers?: Record<string, string>
  method?: string
}

/** Reads files of messages in the room Rtea from a process with a manual clock. */
export class Readers {
  readonly #env: Env
  readonly #began = Date.now()
  #claims = 0
  #service: Service | undefined
  clock = 0

  constructor(env: Env) {
    this.#env = env
  }

  get url(): string {
    return this.#service?.url ?? ''
  }

  get service(): Service {
    if (!this.#service) throw new Error('the process is not started')
    return this.#service
  }

  readonly now = (): Date => new Date(this.#began + this.clock)

  async start(settings?: Record<string, string>): Promise<void> {
    this.#service = await this.#env.start(settings, { now: this.now })
  }

  /** Uploads a file and posts a message with it; returns the file's id. */
  async attached(bytes: Uint8Array, contentType = 'text/plain', sending: Sending = {}): Promise<string> {
    const { id } = await sendFile(this.#env, bytes, { contentType, ...sending })
    const { userId = 'Ualice' } = sending
    await this.#env.internal.claimAssets(claiming([id], { userId, eventId: `E${this.#claims++}` }))
    return id
  }

  /** Path of a file without ticket. */
  pathOf(assetId: string): string {
    return `${this.url}/assets/files/${assetId}`
  }

  /** Address of a file at this process, as in the message that a reader gets. */
  addressOf(assetId: string, { userId = 'Ualice', image }: ReadOptions = {}): string {
    const { url } = assetUrl(
      { publicUrl, signingSecret },
      { assetId, userId, now: this.now(), ...(image && { image }) },
    )
    return url.replace(publicUrl, this.url)
  }

  read(assetId: string, options: ReadOptions = {}): Promise<Response> {
    const { headers = {}, method = 'GET' } = options
    return fetch(this.addressOf(assetId, options), { headers, method })
  }
}

/** The bytes of a response. */
export const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer())
